"""What `python -m demos` offers besides the demos. A command may use both the demos and the viewer, which do not know it."""
