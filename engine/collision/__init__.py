"""Detection of contacts: which shapes are near each other, and at which points."""
