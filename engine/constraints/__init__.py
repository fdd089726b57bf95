"""The step of bodies that are linked by joints: rows of constraints, a sparse direct solver, and the loop over ticks."""
