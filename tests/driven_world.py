"""A world with an actuator of every kind at work."""

from engine import World, flight, forces

from .worlds import OTHER, PROPERTIES


def driven_world(method="rk4", more=(), ticks=3):
    """A ship with a wheel, a tank and a pulse, and a tug with a gimbal that turns; `more` is called with the world and the ship."""
    world = World(1 / 32, integrator=method)
    ship = world.add_body(PROPERTIES, name="ship", angular_velocity_body=(0.1, -0.2, 0.3))
    tug = world.add_body(OTHER, name="tug", position=(5, 0, 0))
    wheel = world.add_part(flight.ReactionWheel(ship, axis=(1, 2, 0), inertia=0.01, max_torque=2.0, max_speed=600.0))
    tank = world.add_part(flight.Tank.ball(ship, position=(0, 0, 0.5), radius=0.2, propellant=1.0))
    jet = forces.Thruster(
        *(ship,),
        position=(0, 1, 0),
        direction=(0, 0, 1),
        max_force=9.0,
        tank=tank,
        specific_impulse=50.0,
        min_on_time=0.1,
        rise_time=0.05,
        fall_time=0.1,
    )
    gimballed = forces.Thruster(
        *(tug,),
        position=(0, 0, -1),
        direction=(0, 0, 1),
        max_force=3.0,
        gimbal=flight.Gimbal((1, 0, 0), (0, 1, 0), 0.3, 0.2),
    )
    for force in (jet, gimballed, forces.UniformGravity((0, -1, 0))):
        world.add_force(force)
    for add in more:
        add(world, ship)
    wheel.torque, gimballed.throttle, gimballed.gimbal_command = 0.5, 0.5, (0.2, -0.1)
    jet.fire(1.5, 0.3)
    world.step(ticks)
    return world
