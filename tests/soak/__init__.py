"""Long runs: `python -m tests.soak [NAME …] [--ticks N] [--seed N]`.

Each part makes its worlds from a seed, prints one line per figure, and fails if a figure is beyond its bound.
`tests/world/test_soak.py` runs every part at a small fixed size.
"""
