"""The syntax trees of source files, each parsed once for all tests that read it."""

import ast
import functools
import gc
from pathlib import Path


@functools.cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a file. Python does not look for garbage among its many objects, neither meanwhile nor afterwards."""
    gc.disable()
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    finally:
        gc.freeze()
        gc.enable()


@functools.cache
def nodes_of(tree: ast.Module) -> list[ast.AST]:
    """All nodes of a tree, which takes longer to find than most rules take to judge them."""
    return list(ast.walk(tree))
