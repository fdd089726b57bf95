"""Worlds, bodies, tables, undo, copies, and the errors that users see."""
