"""Sixteen relations between two runs of random worlds: `python -m tests.relations [--worlds N] [--first N] [part of a name …]`.

A world follows from its number: one to four bodies with offset mass centres, springs, thrusters, gravity, drags, stored momentum, wheels
and joints. A relation gets a number, makes its worlds and raises `AssertionError` if it does not hold.
`tests/physics/test_metamorphic.py` has the same relations for one fixed scene and every method.
"""
