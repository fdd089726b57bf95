"""The viewer that the demos share, with context, meshes, renderer, camera, overlay, telemetry picture, keys and options.

This is the only place where float64 becomes float32, and the only place that imports pygame, moderngl and pyrr. Each is imported inside the
function that needs it, so that a missing package affects only the picture and never the simulation.
"""
