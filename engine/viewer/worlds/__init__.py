"""Worlds of users as the viewer shows them: what is drawn of a world, the window, pictures without a display, and records played again."""
