"""Predicts the cost of a process with many streams from the costs of streams of one kind.

CPU: each layer, packet and pixel has a cost, which changes while other hardware threads are busy. Pixels then cost more, since
threads share cores, caches and memory; layers and packets may cost less, since a thread that is still awake need not be woken.
Let P and W be the CPU seconds per second of the pixels and of the rest on an otherwise idle machine, and T the number of hardware
threads. The process takes

    C = P (1 + sharing u) + W (1 + waking u)        u = (C + F) / T

where F is the CPU time of other processes; it is solved for C. Instructions and bytes are the sum over the streams.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

# At this utilization of all threads nothing more is predicted to fit: the rest is for the system.
FULL_LOAD = 0.95
# A load is real time if less than 1 % of the pictures are dropped or late.
REAL_TIME = 0.99


@dataclass(frozen=True)
class Load:
    """The load of a process with many streams, per second: streams, packets and pixels, at full size and of thumbnails."""

    high: float = 0
    low: float = 0
    packets: float = 0
    high_pixels: float = 0
    low_pixels: float = 0

    def __add__(self, other: "Load") -> "Load":
        return Load(*(a + b for a, b in zip(vars(self).values(), vars(other).values())))

    def __mul__(self, factor: float) -> "Load":
        return Load(*(factor * value for value in vars(self).values()))

    @property
    def costs(self) -> list[float]:
        """The quantities with costs of their own: layers, packets, pixels at full size, pixels of thumbnails."""
        return [self.high + self.low, self.packets, self.high_pixels, self.low_pixels]


@dataclass
class Measurement:
    """The measured cost of a process with many streams."""

    load: Load
    # CPU seconds per second of the process, and of the process that feeds it.
    cpu: float
    feeder: float = 0
    # Per second; None if the machine cannot count them.
    instructions: float | None = None
    # Peak resident memory, without the pictures that stand in for cameras.
    memory: float | None = None
    # The share of the due pictures that were encoded, or shown in time.
    in_time: float = 1
    # All measurements of the same load, if there were several.
    rounds: list["Measurement"] = field(default_factory=list)

    @property
    def is_real_time(self) -> bool:
        return self.in_time >= REAL_TIME

    @property
    def least_cpu(self) -> float:
        """The undisturbed cost of the load: processes that share caches or cores can only add to it. Rounds that dropped
        pictures did less work and are left out."""
        return min((each.cpu for each in self.rounds if each.is_real_time), default=self.cpu)

    def spread(self, value: Callable[["Measurement"], float | None]) -> float | None:
        """The range of the rounds relative to their median; None for a single round."""
        values, middle = [found for each in self.rounds if (found := value(each)) is not None], value(self)
        return (max(values) - min(values)) / middle if len(values) > 1 and middle else None

    @staticmethod
    def middle(rounds: list["Measurement"]) -> "Measurement":
        """The median of each quantity; in real time if most rounds were."""

        def of(values: Sequence[float | None]) -> float | None:
            known = sorted(value for value in values if value is not None)
            return known[(len(known) - 1) // 2] if known else None

        base = sorted(rounds, key=lambda each: each.cpu)[(len(rounds) - 1) // 2]
        return Measurement(
            base.load, base.cpu, base.feeder, of([each.instructions for each in rounds]), of([each.memory for each in rounds]),
            sorted(each.in_time for each in rounds)[len(rounds) // 2], rounds if len(rounds) > 1 else [])


@dataclass(frozen=True)
class CapacityModel:
    """CPU seconds of a layer per second, of a packet, of a pixel at full size and of a pixel of a thumbnail."""

    costs: tuple[float, float, float, float]
    # The relative extra cost of pixels, and of layers and packets, while all threads are busy; it may be negative.
    sharing: float
    waking: float
    threads: int

    def cpu(self, load: Load, feeder: float = 0) -> float:
        """CPU seconds per second; infinite if it exceeds the threads' capacity."""
        layers, packets, high, low = (cost * amount for cost, amount in zip(self.costs, load.costs))
        growth = (self.sharing * (high + low) + self.waking * (layers + packets)) / self.threads
        return (layers + packets + high + low + growth * feeder) / (1 - growth) if growth < 1 else math.inf

    def holds(self, load: Load, feeder: float = 0) -> bool:
        """Whether a load leaves capacity on the machine's threads."""
        return self.cpu(load, feeder) + feeder <= FULL_LOAD * self.threads

    @staticmethod
    def fit(measurements: list[Measurement], threads: int) -> "CapacityModel | None":
        """The model with the smallest relative error to each load's minimum; no cost is negative."""
        best, usable = None, [each for each in measurements if each.least_cpu > 0]
        # A thread that shares its core with a busy one has half of it.
        for sharing, waking in itertools.product((step / 20 for step in range(21)), (step / 10 for step in range(-8, 11))):
            rows = []
            for each in usable:
                busy = (each.least_cpu + each.feeder) / threads
                pixels, rest = ((1 + share * busy) / each.least_cpu for share in (sharing, waking))
                rows.append([amount * factor for amount, factor in zip(each.load.costs, (rest, rest, pixels, pixels))])
            found = non_negative_fit(rows)
            # Of two equal fits, prefer the one with the smaller factors.
            if found and (best is None or found[1] + 1e-6 * (sharing + abs(waking)) < best[0]):
                best = found[1] + 1e-6 * (sharing + abs(waking)), CapacityModel(tuple(found[0]), sharing, waking, threads)
        return best[1] if best else None


def instruction_row(load: Load) -> list[float]:
    """The instructions of each layer, packet and pixel."""
    return load.costs


def memory_row(load: Load) -> list[float]:
    """The memory of the program, of each stream, and of pictures, which are held as long as the streams last; full-size streams
    have 30 per second, and all thumbnails have one size. Memory for waiting packets is allocated at the start."""
    return [1, load.high, load.low, load.high_pixels]


def fit_sum(measurements: list[Measurement], row: Callable[[Load], list[float]], values: list[float | None]) -> list[float] | None:
    """The costs with the smallest relative errors; None if a load was not measured."""
    if any(not value for value in values):
        return None
    found = non_negative_fit([[amount / value for amount in row(each.load)] for each, value in zip(measurements, values)])
    return found[0] if found else None


def non_negative_fit(rows: list[list[float]]) -> tuple[list[float], float] | None:
    """Non-negative least squares for a few unknowns, where each row sums to 1; and the remaining sum of squares.

    Every subset of the unknowns is solved by the normal equations with the others zero, and the best non-negative solution is
    used: four unknowns have fifteen subsets.
    """
    best = None
    width = len(rows[0]) if rows else 0
    for chosen in itertools.chain.from_iterable(itertools.combinations(range(width), size) for size in range(1, width + 1)):
        solved = _least_squares([[row[place] for place in chosen] for row in rows]) if len(chosen) <= len(rows) else None
        if solved is None or min(solved) < 0:
            continue
        unknowns = [0.0] * width
        for place, value in zip(chosen, solved):
            unknowns[place] = value
        error = sum((sum(a * b for a, b in zip(row, unknowns)) - 1) ** 2 for row in rows)
        if best is None or error < best[1]:
            best = unknowns, error
    return best


def _least_squares(rows: list[list[float]]) -> list[float] | None:
    # Scale the columns first, since the quantities differ by orders of magnitude.
    width = len(rows[0])
    sizes = [max(abs(row[column]) for row in rows) for column in range(width)]
    if not all(sizes):
        return None
    scaled = [[value / size for value, size in zip(row, sizes)] for row in rows]
    equations = [[sum(row[i] * row[j] for row in scaled) for j in range(width)] + [sum(row[i] for row in scaled)] for i in range(width)]
    # Gauss-Jordan elimination with partial pivoting; None if the columns are linearly dependent.
    for column in range(width):
        pivot = max(range(column, width), key=lambda row: abs(equations[row][column]))
        if abs(equations[pivot][column]) <= 1e-9:
            return None
        equations[column], equations[pivot] = equations[pivot], equations[column]
        for row in range(width):
            if row != column:
                factor = equations[row][column] / equations[column][column]
                equations[row] = [a - factor * b for a, b in zip(equations[row], equations[column])]
    return [equations[place][width] / equations[place][place] / sizes[place] for place in range(width)]
