"""The demos: their physics, their command line, their files."""
