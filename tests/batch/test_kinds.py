"""Members with every kind of field and of joint have the bits of worlds alone, some reset, some inactive and some failed."""

import numpy as np
import pytest

from . import bits


@pytest.mark.parametrize("case", ["fields", "joints"])
def test_members_have_the_bits_of_worlds_alone_with_every_field_and_every_joint(case):
    with np.errstate(all="ignore"):  # numpy's scalars warn in plain Python, where a member overflows
        wrong, compared = bits.differences(case, "rk4-body-rates", members=12, ticks=12)
    assert wrong == 0
    assert compared >= 8
