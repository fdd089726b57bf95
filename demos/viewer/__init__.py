"""The viewer that the demos share.

Its folders, from the top down: `run` (window, keys, options, runs without a window), `gl` (the renderer), `hud` (the display over the
picture), `meshes`, `files` (pictures and clips), and `picture` (plain data). A module imports from its own folder and from those below.

This is the only place where float64 becomes float32, and the only place that imports pygame, moderngl and pyrr. Each is imported inside the
function that needs it, so that a missing package affects only the picture and never the simulation.
"""
