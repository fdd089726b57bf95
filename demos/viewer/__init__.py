"""What the demos share to be seen: context, meshes, renderer, camera, overlay, telemetry picture, keys, options.

The one border where float64 becomes float32, and the one place where pygame, moderngl and pyrr are imported: each inside the function that
needs it, so that a missing package costs the picture and never the simulation.
"""
