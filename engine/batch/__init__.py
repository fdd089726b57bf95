"""Batches: many members of one template world, which run in one world and can each be taken out as a world of their own."""

from .batch import Batch

__all__ = ["Batch"]
