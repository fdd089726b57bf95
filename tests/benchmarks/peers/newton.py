"""Newton, single precision, on the device that it prefers: its semi-implicit solver, thrust by a compiled kernel of the user."""

import newton
import numpy as np
import numpy.typing as npt
import warp as wp

from ..scenes import DT, Bodies
from .peer import Entry, Ticks

Array = npt.NDArray[np.float64]

DISTRIBUTIONS = ("newton", "warp-lang")

wp.config.log_level = wp.LOG_ERROR


@wp.kernel
def _push(poses: wp.array(dtype=wp.transform), thrust: float, wrenches: wp.array(dtype=wp.spatial_vector)):
    index = wp.tid()
    force = wp.quat_rotate(wp.transform_get_rotation(poses[index]), wp.vec3(0.0, 0.0, thrust))
    wrenches[index] = wp.spatial_vector(force, wp.vec3(0.0, 0.0, 0.0))


class Newton(Ticks):
    def __init__(self, bodies: Bodies) -> None:
        super().__init__()
        builder = newton.ModelBuilder(gravity=bodies.gravity)
        tensor = wp.mat33(np.diag(bodies.moments))
        for position in bodies.position.tolist():
            builder.add_body(xform=wp.transform(position, wp.quat_identity()), mass=bodies.mass, inertia=tensor)
        model = builder.finalize()
        self._count, self._thrust = bodies.count, bodies.thrust
        self._solver = newton.solvers.SolverSemiImplicit(model, angular_damping=0.0)
        self._states, self._control = (model.state(), model.state()), model.control()
        rates = np.hstack([np.zeros((bodies.count, 3)), bodies.angular_velocity_body])
        self._states[0].body_qd.assign(rates.astype(np.float32))

    def tick(self) -> None:
        now, after = self._states
        if self._thrust:
            wp.launch(_push, dim=self._count, inputs=[now.body_q, self._thrust], outputs=[now.body_f])
        self._solver.step(now, after, self._control, None, DT)
        self._states = after, now
        self.taken += 1

    def run(self, ticks: int) -> None:
        super().run(ticks)
        wp.synchronize()

    @property
    def time(self) -> float:
        return self.taken * DT

    def positions(self) -> Array:
        return self._states[0].body_q.numpy()[:, :3].astype(float)

    def orientations(self) -> Array:
        return self._states[0].body_q.numpy()[:, 3:].astype(float)

    def close(self) -> None:
        """Nothing is kept open."""


ENTRIES = [Entry("Newton semi-implicit", Newton, 1, 100_000)]
