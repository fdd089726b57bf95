"""Writes pictures and clips to files."""
