"""Tests of the shapes of bodies."""
