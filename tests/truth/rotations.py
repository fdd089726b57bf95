"""Rotations for the reference solutions, by SciPy."""

import numpy as np
from scipy.spatial.transform import Rotation


def matrix(orientation):
    """Matrix that rotates from the body frame to the world frame."""
    return Rotation.from_quat(orientation).as_matrix()


def to_world(orientation, vector_body):
    return Rotation.from_quat(orientation).apply(vector_body)


def to_body(orientation, vector_world):
    return Rotation.from_quat(orientation).inv().apply(vector_world)


def from_axis_angle(axis, angle):
    """Quaternion (x, y, z, w) of a turn by `angle` [rad] about a direction of any length."""
    axis = np.asarray(axis, dtype=float)
    return Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_quat()


def angle(a, b):
    """Angle [rad] of the turn from one orientation to the other, good down to rounding for small ones."""
    return (Rotation.from_quat(a).inv() * Rotation.from_quat(b)).magnitude()


def angle_between_vectors(a, b):
    """Angle [rad] between two directions, good at both ends."""
    cross = np.linalg.norm(np.cross(a, b), axis=-1)
    return np.arctan2(cross, (np.asarray(a) * np.asarray(b)).sum(axis=-1))
