"""A game that is shipped as a program of its own compiles nothing (`python -m tests.frozen`)."""
