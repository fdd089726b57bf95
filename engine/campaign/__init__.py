"""Monte Carlo campaigns: many dispersed runs of one function, on the processors of one machine or on a Dask cluster.

This package needs the extra `polhode[campaign]`. Nothing else in the engine imports it.
"""

try:
    import pyarrow as _pyarrow  # noqa: F401
except ModuleNotFoundError as error:
    raise ImportError(
        f"campaigns need the package {error.name}: pip install 'polhode[campaign]'", name=error.name
    ) from None

from .blocks import ResultError
from .campaign import Campaign, Status, SuccessRate, VerificationError
from .draws import Choice, Normal, NormalVector, RandomAttitude, Uniform
from .run import Run
from .runs import Runs
from .statistics import required_runs, wilson_interval

__all__ = [
    "Campaign",
    "Choice",
    "Normal",
    "NormalVector",
    "RandomAttitude",
    "ResultError",
    "Run",
    "Runs",
    "Status",
    "SuccessRate",
    "Uniform",
    "VerificationError",
    "required_runs",
    "wilson_interval",
]
