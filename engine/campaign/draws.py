"""Dispersed values: distributions whose numbers depend on the seed, the run and the name of the draw, and on nothing else.

Run i draws from ``Philox(SeedSequence(seed, spawn_key=(i, h)))``, where h is the SHA-256 hash of the draw's name, read as a big-endian
integer. No number depends on the worker, the block or the order of runs, and another draw changes no other one. Normal numbers and random
attitudes are computed with the engine's own elementary functions, so that they have the same bits on every processor.
"""

import hashlib
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import array, elements_of, explaining_errors, integer, is_row, read_only, real, refuse
from ..kernels.exponential import logarithm
from ..kernels.trigonometry import sine_cosine

MOST_RUNS = 999_999_999
"""Files of blocks have names of nine digits."""

_TWO_PI = 6.283185307179586


def sequence_of(seed: int, run: int, name: str) -> np.random.SeedSequence:
    """The seed sequence of one name in one run.

    Example:
        >>> sequence_of(7, 3, "mass").spawn_key[0]
        3
    """
    digest = hashlib.sha256(name.encode()).digest()
    return np.random.SeedSequence(seed, spawn_key=(run, int.from_bytes(digest, "big")))


def stream_of(seed: int, run: int, name: str) -> np.random.Generator:
    """The random numbers of one draw in one run.

    Example:
        >>> stream_of(7, 3, "mass").random() == stream_of(7, 3, "mass").random()
        True
    """
    return np.random.Generator(np.random.Philox(sequence_of(seed, run, name)))


class Form(NamedTuple):
    """The type of a draw's values, from which the column of the table follows."""

    kind: str
    """"double", "int64", "bool" or "string"."""
    size: int | None = None
    """Number of components of a vector; None for a single value."""


class Distribution(ABC):
    """A dispersed value; each run draws its own."""

    @property
    @abstractmethod
    def form(self) -> Form:
        """The type of the values."""

    @abstractmethod
    def value(self, run: int, stream: np.random.Generator) -> object:
        """The value of a run, drawn from the stream that belongs to the run and the name of the draw.

        Example:
            >>> mass = Normal(90.0, 3.0)
            >>> mass.value(4, stream_of(7, 4, "mass")) == mass.value(4, stream_of(7, 4, "mass"))
            True
        """

    @abstractmethod
    def described(self) -> dict[str, object]:
        """The distribution as plain data, by which `campaign.json` tells it from others; nothing is made from it again."""

    def _of_runs(self, first: int, last: int) -> "Distribution":
        """What a worker needs for the runs from `first` to before `last`."""
        return self

    def __repr__(self) -> str:
        parts = {name: value for name, value in self.described().items() if name != "kind"}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in parts.items())})"


@explaining_errors()
class Normal(Distribution):
    """A normal distribution.

    Args:
        mean: Mean, in any unit.
        deviation: Standard deviation, in the same unit, at least 0.

    Raises:
        TypeError: If an argument is not a real number.
        ValueError: If an argument is not finite or `deviation` is negative.

    Accuracy: two uniform numbers of 53 bits give one normal number, of magnitude at most 8.6 standard deviations.
    Source: Box and Muller (1958).

    Example:
        >>> mass = Normal(90.0, 3.0)
        >>> abs(mass.value(0, stream_of(7, 0, "mass")) - 90.0) < 30.0
        True
    """

    form: ClassVar[Form] = Form("double")

    def __init__(self, mean: float, deviation: float) -> None:
        self.mean = real(mean, "mean", "Normal")
        self.deviation = real(deviation, "deviation", "Normal", at_least=0.0)

    def value(self, run: int, stream: np.random.Generator) -> float:
        return self.mean + self.deviation * _normal(stream)

    def described(self) -> dict[str, object]:
        return {"kind": "Normal", "mean": self.mean, "deviation": self.deviation}


@explaining_errors()
class NormalVector(Distribution):
    """A vector of independent normal numbers.

    Args:
        size: Number of components, at least 1.
        deviation: Standard deviation of every component, or of each one, shape (size,), at least 0.
        mean: Mean of every component, or of each one, shape (size,).

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If an argument has the wrong shape, is not finite, or a deviation is negative.

    Example:
        >>> rate = NormalVector(size=3, deviation=0.2)
        >>> rate.value(0, stream_of(7, 0, "rate")).shape
        (3,)
    """

    def __init__(self, size: int, deviation: npt.ArrayLike, mean: npt.ArrayLike = 0.0) -> None:
        self.size = integer(size, "size", "NormalVector", at_least=1)
        self.mean = _components(mean, "mean", self.size)
        self.deviation = _components(deviation, "deviation", self.size)
        if (self.deviation < 0.0).any():
            refuse("NormalVector", "deviation", deviation, "at least 0 in every component")

    @property
    def form(self) -> Form:
        return Form("double", self.size)

    def value(self, run: int, stream: np.random.Generator) -> npt.NDArray[np.float64]:
        numbers = np.array([_normal(stream) for _ in range(self.size)])
        return read_only(self.mean + self.deviation * numbers)

    def described(self) -> dict[str, object]:
        vectors = {"deviation": self.deviation.tolist(), "mean": self.mean.tolist()}
        return {"kind": "NormalVector", "size": self.size, **vectors}


@explaining_errors()
class Uniform(Distribution):
    """A uniform distribution.

    Args:
        low: Smallest value, in any unit.
        high: Upper limit, in the same unit, above `low`; rounding may reach it.

    Raises:
        TypeError: If an argument is not a real number.
        ValueError: If an argument is not finite or `high` is not above `low`.

    Example:
        >>> 2.0 <= Uniform(2.0, 3.0).value(0, stream_of(7, 0, "delay")) <= 3.0
        True
    """

    form: ClassVar[Form] = Form("double")

    def __init__(self, low: float, high: float) -> None:
        self.low = real(low, "low", "Uniform")
        self.high = real(high, "high", "Uniform", above=self.low)
        if not math.isfinite(self.high - self.low):
            refuse("Uniform", "high", high, "at most 1.7e308 above low")

    def value(self, run: int, stream: np.random.Generator) -> float:
        return self.low + (self.high - self.low) * stream.random()

    def described(self) -> dict[str, object]:
        return {"kind": "Uniform", "low": self.low, "high": self.high}


@explaining_errors()
class Choice(Distribution):
    """One of several values.

    Args:
        options: The values, all of one kind: numbers, True and False, or strings.
        probabilities: Probability of each option, which sum to 1 within 1e-9; None for equal ones.

    Raises:
        TypeError: If an option or a probability has the wrong type.
        ValueError: If there is no option, the options are of different kinds, or the probabilities do not fit.

    Example:
        >>> Choice(["jet 1", "jet 2"]).value(0, stream_of(7, 0, "stuck")) in ("jet 1", "jet 2")
        True
    """

    def __init__(self, options: Sequence[object], probabilities: npt.ArrayLike | None = None) -> None:
        if not is_row(options):
            refuse("Choice", "options", options, "a list of values", TypeError)
        self.options = options.tolist() if isinstance(options, np.ndarray) else elements_of(options)
        self._form = Form(_kind_of_options(self.options, options))
        if self._form.kind == "double":
            self.options = np.array(self.options, np.float64).tolist()
        self.probabilities: list[float] | None = None
        if probabilities is not None:
            given = array(probabilities, "probabilities", "Choice", (len(self.options),))
            if (given < 0.0).any() or abs(math.fsum(given.tolist()) - 1.0) > 1e-9:
                refuse("Choice", "probabilities", probabilities, "at least 0, with the sum 1")
            self.probabilities = given.tolist()

    @property
    def form(self) -> Form:
        return self._form

    def value(self, run: int, stream: np.random.Generator) -> object:
        share = stream.random()
        if self.probabilities is None:
            return self.options[min(int(share * len(self.options)), len(self.options) - 1)]
        total = 0.0
        for option, probability in zip(self.options, self.probabilities, strict=True):
            total += probability
            if share < total:
                return option
        return next(option for option, p in zip(self.options[::-1], self.probabilities[::-1], strict=True) if p > 0.0)

    def described(self) -> dict[str, object]:
        return {"kind": "Choice", "options": self.options, "probabilities": self.probabilities}


class RandomAttitude(Distribution):
    """A random attitude, distributed evenly over all rotations.

    The value is a unit quaternion, scalar-last (x, y, z, w), body to world, shape (4,).

    Source: Shoemake (1992), from three uniform numbers.

    Example:
        >>> attitude = RandomAttitude().value(0, stream_of(7, 0, "attitude"))
        >>> abs(float(attitude @ attitude) - 1.0) < 1e-15
        True
    """

    form: ClassVar[Form] = Form("double", 4)

    def value(self, run: int, stream: np.random.Generator) -> npt.NDArray[np.float64]:
        share, first, second = (stream.random() for _ in range(3))
        short, long = math.sqrt(share), math.sqrt(1.0 - share)
        (a, b), (c, d) = sine_cosine(_TWO_PI * first), sine_cosine(_TWO_PI * second)
        return read_only(np.array([long * a, long * b, short * c, short * d]))

    def described(self) -> dict[str, object]:
        return {"kind": "RandomAttitude"}


class Rows(Distribution):
    """The rows of an array, one per run: a sweep, or a Latin hypercube."""

    def __init__(self, rows: npt.NDArray[np.generic], form: Form, digest: str, first: int = 0) -> None:
        self.rows, self._form, self.digest, self.first = rows, form, digest, first

    @property
    def form(self) -> Form:
        return self._form

    def value(self, run: int, stream: np.random.Generator) -> object:
        row = self.rows[run - self.first]
        return read_only(row.copy()) if self._form.size else row.item()

    def described(self) -> dict[str, object]:
        return {"kind": "array", "shape": list(self.rows.shape), "type": self._form.kind, "sha256": self.digest}

    def _of_runs(self, first: int, last: int) -> "Rows":
        return Rows(self.rows[first - self.first : last - self.first].copy(), self._form, self.digest, first)


class Frozen(Distribution):
    """A frozen distribution of scipy.stats."""

    def __init__(self, frozen: Any, name: str, owner: str) -> None:
        self.frozen = frozen
        family = getattr(frozen, "dist", frozen)
        self.family = str(getattr(family, "name", type(family).__name__))
        self.parameters = _parameters(frozen)
        try:
            probe = np.asarray(frozen.rvs(random_state=np.random.Generator(np.random.Philox(0))))
        except Exception as error:
            refuse(owner, f"draws[{name!r}]", frozen, "a distribution that can be drawn from", ValueError, error)
        kind = _ARRAY_KINDS.get(probe.dtype.kind)
        if kind not in ("double", "int64") or probe.size == 0:
            refuse(owner, f"draws[{name!r}]", frozen, "a distribution of numbers")
        probe = probe.squeeze()
        if probe.ndim > 1:
            refuse(owner, f"draws[{name!r}]", frozen, "a distribution of numbers or vectors")
        self._form = Form(kind, probe.size if probe.ndim else None)

    @property
    def form(self) -> Form:
        return self._form

    def value(self, run: int, stream: np.random.Generator) -> object:
        drawn = np.asarray(self.frozen.rvs(random_state=stream)).reshape(self._form.size or ())
        return read_only(drawn.astype(_NUMPY_KINDS[self._form.kind])) if self._form.size else drawn.item()

    def described(self) -> dict[str, object]:
        return {"kind": f"scipy.stats.{self.family}", **self.parameters}


_ARRAY_KINDS = {"f": "double", "i": "int64", "u": "int64", "b": "bool", "U": "string"}
_NUMPY_KINDS = {"double": np.float64, "int64": np.int64}


def checked_draws(draws: object, runs: int, owner: str) -> dict[str, Distribution]:
    """The draws of a campaign by name.

    Raises:
        TypeError: If `draws` is not a mapping, a name is not a string, or a value is nothing that can be drawn from.
        ValueError: If a name is not an identifier, or an array has not one row per run.
    """
    if draws is None:
        return {}
    if not isinstance(draws, Mapping):
        refuse(owner, "draws", draws, "a mapping of names to distributions", TypeError)
    return {
        checked_name(name, "draws", owner): _distribution(value, name, runs, owner) for name, value in draws.items()
    }


def checked_name(name: object, argument: str, owner: str) -> str:
    """The name of a draw or a column, which is an identifier."""
    if not isinstance(name, str):
        refuse(owner, f"a name in {argument}", name, "a string", TypeError)
    if not name.isidentifier() or len(name) > 100:
        refuse(owner, f"a name in {argument}", name, "an identifier of at most 100 letters, digits and underscores")
    return name


def _distribution(value: object, name: str, runs: int, owner: str) -> Distribution:
    if isinstance(value, Distribution):
        return value
    if callable(getattr(value, "rvs", None)) and (_is_frozen(value)):
        return Frozen(value, name, owner)
    rule = "Normal, NormalVector, Uniform, Choice, RandomAttitude, a frozen distribution of scipy.stats, or an array with one row per run"
    if isinstance(value, type) or not (is_row(value) or hasattr(value, "__array__")):
        refuse(owner, f"draws[{name!r}]", value, rule, TypeError)
    return _rows(value, name, runs, owner)


def _is_frozen(value: object) -> bool:
    """Whether a distribution has its parameters; a class or family of distributions has none."""
    return hasattr(value, "args") or type(value).__name__.endswith("_frozen")


def _rows(value: object, name: str, runs: int, owner: str) -> Rows:
    rule = f"an array with one row per run, of shape ({runs},) or ({runs}, k)"
    try:
        rows = np.array(value)
    except Exception as error:
        refuse(owner, f"draws[{name!r}]", value, rule, ValueError, error)
    kind = _ARRAY_KINDS.get(rows.dtype.kind)
    if kind is None:
        refuse(owner, f"draws[{name!r}]", value, f"{rule}, of numbers, True and False, or strings", TypeError)
    if rows.shape[:1] != (runs,) or rows.ndim > 2 or (rows.ndim == 2 and (kind == "string" or rows.shape[1] == 0)):
        refuse(owner, f"draws[{name!r}]", f"an array of shape {rows.shape}", rule)
    if kind == "double":
        rows = rows.astype(np.float64)
        if not np.isfinite(rows).all():
            place = int(np.argwhere(~np.isfinite(rows))[0][0])
            refuse(owner, f"draws[{name!r}][{place}]", rows[place].tolist(), "finite")
    elif kind == "int64":
        if rows.dtype.kind == "u" and rows.size and int(rows.max()) > 2**63 - 1:
            refuse(owner, f"draws[{name!r}]", value, "integers below 2⁶³")
        rows = rows.astype(np.int64)
    digest = hashlib.sha256(repr((rows.shape, kind)).encode())
    digest.update("\0".join(rows.tolist()).encode() if kind == "string" else rows.tobytes())
    return Rows(rows, Form(kind, rows.shape[1] if rows.ndim == 2 else None), digest.hexdigest())


def _parameters(frozen: Any) -> dict[str, object]:
    """The parameters of a frozen distribution as plain data; of one for vectors, its arrays and numbers."""
    if hasattr(frozen, "args"):
        return {"args": _plain(frozen.args), "kwds": _plain(frozen.kwds)}
    return {name: plain for name, part in sorted(vars(frozen).items()) if (plain := _plain(part)) is not None}


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    covariance = getattr(value, "covariance", None)
    return None if covariance is None else _plain(np.asarray(covariance))


def _kind_of_options(options: list[object], given: object) -> str:
    if not options:
        refuse("Choice", "options", given, "at least one value")
    kinds = {_kind_of(option, given) for option in options}
    if kinds == {"int64", "double"}:
        return "double"
    if len(kinds) > 1:
        refuse("Choice", "options", given, "of one kind: numbers, True and False, or strings")
    return kinds.pop()


def _kind_of(option: object, given: object) -> str:
    if isinstance(option, bool | np.bool_):
        return "bool"
    if isinstance(option, int | np.integer) and abs(int(option)) < 2**63:
        return "int64"
    if isinstance(option, float | np.floating) and math.isfinite(option):
        return "double"
    if isinstance(option, str):
        return "string"
    refuse("Choice", "options", given, "finite numbers, True and False, or strings", TypeError)


def _components(value: npt.ArrayLike, argument: str, size: int) -> npt.NDArray[np.float64]:
    if is_row(value):
        return read_only(array(value, argument, "NormalVector", (size,)))
    return read_only(np.full(size, real(value, argument, "NormalVector")))


def _normal(stream: np.random.Generator) -> float:
    """A standard normal number."""
    # the argument is above 0, because a random number is below 1
    radius = math.sqrt(-2.0 * logarithm(1.0 - stream.random()))
    return radius * sine_cosine(_TWO_PI * stream.random())[1]
