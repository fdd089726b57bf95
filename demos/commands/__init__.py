"""The commands of `python -m demos` that are not demos; they may import the demos and the viewer, which never import them."""
