"""Draws a picture with OpenGL; the only room that imports moderngl."""
