"""Every public callable, argument and setter with some 60 hostile values each.

`surface.py` finds the public names by walking `__all__`. `table.py` has one row of expectations per name: how to make a valid call, and
what kind of value each argument takes. `values.py` has the values, and what each is meant as. `product.py` makes and judges the calls.
`python -m tests.bad_calls` makes all of them; `tests/world/test_bad_calls.py` makes a fixed sample.
"""
