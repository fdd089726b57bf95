"""A moving, three-dimensional view of a record in a notebook or a file.

The view is one document that contains everything it needs: it works in Jupyter, in exported notebooks and on web pages, without a network
and without an extension. `import engine` does not import this package.

    >>> from engine import MassProperties, Recorder, World, notebook
    >>> world = World(dt=0.01)
    >>> body = world.add_body(MassProperties.box(0.2, (0.15, 0.07, 0.01)), angular_velocity_body=(0.01, 8, 0.01))
    >>> record = Recorder(world, every=2)
    >>> world.step(1000)
    >>> notebook.show(record, axis_body=(0, 1, 0))
    <View of 501 samples of 1 body>
"""

from .view import View, show

__all__ = ["View", "show"]
