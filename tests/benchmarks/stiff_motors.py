"""Position motors of any stiffness on a hinge, which turn a body to an angle, against the damped oscillator that they are.

Run as a part of ``python -m tests.benchmarks joints``, beside MuJoCo's position actuators of the same stiffness and damping.
"""

from math import cos, exp, inf, isfinite, pi, sin, sqrt
from typing import Any

from engine import MassProperties, World
from engine.joints import Hinge, Motor

from .joint_peers import mujoco

DT = 1 / 60
TICKS = 120
GOAL = 0.5
MASS, SIZES = 10.0, (1.0, 2.0, 0.5)
FREQUENCIES = (1.0, 3.0, 10.0, 30.0, 1000.0)
METHODS = ("Euler", "implicit", "RK4")
_UNSTABLE = 10.0
"""An angle this wrong [rad] is that of a run that diverges."""


def exact(time: float, frequency: float, ratio: float) -> float:
    """The angle of the oscillator, which starts from rest at 0, with a damping ratio of at most 1."""
    rate = 2.0 * pi * frequency
    if ratio >= 1.0:
        return GOAL * (1.0 - exp(-rate * time) * (1.0 + rate * time))
    damped = rate * sqrt(1.0 - ratio * ratio)
    return GOAL * (1.0 - exp(-ratio * rate * time) * (cos(damped * time) + ratio * rate / damped * sin(damped * time)))


def own_error(frequency: float, ratio: float) -> tuple[float, float]:
    """The largest error of the angle [rad] in two seconds, and that of the last tick."""
    world = World(DT)
    body = world.add_body(MassProperties.box(MASS, SIZES))
    motor = Motor(target_angle=GOAL, frequency=frequency, damping_ratio=ratio, max_torque=1e12)
    hinge = world.add_joint(Hinge(body, None, at_body=(0, 0, 0), axis_body=(0, 0, 1), motor=motor))
    errors = []
    for _ in range(TICKS):
        world.step()
        errors.append(abs(hinge.angle - exact(world.time, frequency, ratio)))
    return max(errors), errors[-1]


def error_in_mujoco(method: str, frequency: float, ratio: float) -> tuple[float, float]:
    """The same in MuJoCo; infinite if the run diverges."""
    rate, inertia = 2.0 * pi * frequency, MASS * (SIZES[0] ** 2 + SIZES[1] ** 2) / 12.0
    half = " ".join(str(0.5 * size) for size in SIZES)
    library: Any = mujoco
    model = library.MjModel.from_xml_string(
        f'<mujoco><option timestep="{DT}" integrator="{method}" gravity="0 0 0"/>'
        f'<worldbody><body><joint name="hinge"/><geom type="box" size="{half}" mass="{MASS}"/></body></worldbody>'
        f'<actuator><position joint="hinge" kp="{inertia * rate**2}" kv="{2.0 * ratio * rate * inertia}"/></actuator></mujoco>'
    )
    data, errors = library.MjData(model), []
    data.ctrl[0] = GOAL
    for tick in range(TICKS):
        library.mj_step(model, data)
        error = abs(float(data.qpos[0]) - exact((tick + 1) * DT, frequency, ratio))
        if not isfinite(error) or error > _UNSTABLE or sum(warning.number for warning in data.warning):
            return inf, inf
        errors.append(error)
    return max(errors), errors[-1]


def stiff_motors() -> None:
    """Print the errors for critical damping and for half of it."""
    for ratio in (1.0, 0.5):
        for frequency in FREQUENCIES:
            found = {"Polhode": own_error(frequency, ratio)}
            if mujoco is not None:
                found |= {f"MuJoCo {method}": error_in_mujoco(method, frequency, ratio) for method in METHODS}
            shown = ", ".join(f"{name} {largest:.1e} and {last:.0e}" for name, (largest, last) in found.items())
            print(f"motor of {frequency:g} Hz, damping ratio {ratio:g}, largest and last error [rad]: {shown}")
