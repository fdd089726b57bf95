"""What the demos fly: bodies and their masses, closed forms of their motion, and what is shown beside them.

Nothing here knows of windows or OpenGL: a scene hands plain data (`viewer.scene`) to the viewer, and the viewer knows no scene.
"""
