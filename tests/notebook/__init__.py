"""Tests of the view in a notebook and of the tables that a notebook shows."""
