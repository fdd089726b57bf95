"""The tests of the repository share the syntax trees of its files."""

import pytest

from ..sources import nodes_of, tree_of


@pytest.fixture(scope="package", autouse=True)
def forget_trees():
    """They are large, and no other tests need them."""
    yield
    nodes_of.cache_clear()
    tree_of.cache_clear()
