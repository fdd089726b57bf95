"""Methods, forces, solids and rotations against references that are independent of the engine."""
