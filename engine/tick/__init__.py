"""The execution of a tick, which includes the held wrench, the choice of loops, and the search for a force that made a tick fail."""
