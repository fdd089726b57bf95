"""The scenes of the demos, with their bodies and masses, closed forms of the motion, and further things to draw.

Scenes do not depend on windows or OpenGL. They pass plain data (`drawing`) to the viewer, which imports no scene.
"""
