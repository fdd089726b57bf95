"""Everything that is kept of a world: snapshots and their bytes, copies, scenes in files, records, and going back in time."""
