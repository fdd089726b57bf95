"""Control laws, which compute a torque from a measured and a reference attitude.

A law needs no world: see `Law` for what it reads. The formulas of the attitude laws are kernels, which compute the torque of one body or of
a stack of bodies with the same bits. `flight.Controlled` runs a law at its own sample rate in a world.

| law | for | state |
| --- | --- | --- |
| `MRPFeedback` | tracking of a moving reference, with an integral | integral of the attitude error |
| `QuaternionPD` | slews and pointing, with a limited rate of approach | none |
| `RateDamping` | stopping the rotation | none |
| `PhasePlane` | on-off jets | which jets fire |
| `BDot` | detumbling with magnetorquers | last measured field |
| `MomentumManager` | the torque that unloads reaction wheels | whether it dumps |
"""

from .detumbling import BDot
from .feedback import MRPFeedback, QuaternionPD, RateDamping
from .law import Law
from .switching import MomentumManager, PhasePlane

__all__ = ["BDot", "Law", "MRPFeedback", "MomentumManager", "PhasePlane", "QuaternionPD", "RateDamping"]
