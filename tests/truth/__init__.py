"""What is true about moving bodies, worked out without the engine.

Closed forms where there are any, a high-order adaptive integration where there are none. Nothing here imports `engine`: a mistake
made there cannot be made again here by sharing code. Closed forms that users have as well are in `engine.solutions`, which shares no
code with the tick either. Rotations are SciPy's. Quaternions are scalar last (x, y, z, w), body to world; SI units; `_body` and
`_world` name the axes. `tests/physics/test_truth.py` holds these modules against one another.
"""
