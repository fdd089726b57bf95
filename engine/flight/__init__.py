"""Spacecraft flight: actuators, guidance and control, sensors, and orbits."""
