"""The emulated networks for calls, and the targets on each."""

import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from .figures import percentile
from .report import Target


@dataclass(frozen=True)
class Network:
    """One row of the table: a network for both directions, in the notation of `rill loopback --network`."""

    name: str
    notation: str
    # The return path, if it differs.
    back: str | None = None
    # When it becomes worse, and when better again, as fractions of the call's length.
    disturbance: tuple[float, float] | None = None
    loses: bool = False

    def text(self, seconds: int) -> str:
        """The notation for calls of this length."""
        if self.disturbance is None:
            return self.notation
        begin, end = (round(part * seconds) for part in self.disturbance)
        return self.notation.format(begin=f"{begin}s", end=f"{end}s")


# A Gaussian cut off at zero has less than its nominal deviation. So the mean delay is three deviations, which cuts 1 packet in
# 700. A constant delay proves nothing without loss: the rows of round-trip times lose 2 %. The queue before the bottleneck holds
# three seconds, more than ever wait there, so that the rate step increases the delay but loses nothing.
NETWORKS = [
    Network("clean", "delay=50ms"),
    Network("jitter 30 ms", "delay=90ms,jitter=30ms"),
    Network("jitter 60 ms, loss 2 %", "delay=180ms,jitter=60ms,loss=2%", loses=True),
    Network("bursts 5 % of 3", "delay=50ms,burst=5%/3", loses=True),
    Network("RTT 20 ms, loss 2 %", "delay=10ms,loss=2%", loses=True),
    Network("RTT 100 ms, loss 2 %", "delay=50ms,loss=2%", loses=True),
    Network("RTT 300 ms, loss 2 %", "delay=150ms,loss=2%", loses=True),
    Network("rate 2→0.45→2 Mbit/s", "delay=50ms,rate=2M/450k@{begin}/2M@{end},queue=3s", back="delay=50ms", disturbance=(1 / 3, 2 / 3)),
]

LAYERS = ["high", "low"]
TITLES = {"high": "640x480@30", "low": "160x120@5"}
# The time from one frame to the next, in ms.
INTERVALS = {"high": 1000 / 30, "low": 200}


@dataclass(frozen=True)
class Gap:
    """A long gap between shown frames, in ms, and the highest loss count of one of its packets."""

    length: float
    losses: int
    seed: int


@dataclass(frozen=True)
class Cell:
    """One layer on one network: the results of bench-calls for all seeds together. Times are in ms."""

    network: Network
    layer: str
    seconds: int
    calls: dict[int, dict]

    @cached_property
    def results(self) -> list[dict]:
        """The layer's results, whose times are in tenths of a millisecond."""
        return [call["layers"][LAYERS.index(self.layer)] for call in self.calls.values()]

    def sum(self, name: str) -> float:
        return sum(each.get(name) or 0 for each in self.results)

    def percentile(self, name: str, share: float) -> float:
        return percentile([value for each in self.results for value in each[name]], share) / 10

    def mean(self, value: Callable[[dict], float]) -> float:
        return statistics.mean(value(call) for call in self.calls.values())

    @property
    def interval(self) -> float:
        return INTERVALS[self.layer]

    @property
    def minutes(self) -> float:
        return len(self.calls) * self.seconds / 60

    @cached_property
    def median(self) -> float:
        return self.percentile("delays", 0.5)

    @cached_property
    def high_delay(self) -> float:
        """The 95th percentile."""
        return self.percentile("delays", 0.95)

    @cached_property
    def jitter(self) -> float:
        """J: the 99th percentile."""
        return self.percentile("jitters", 0.99)

    @cached_property
    def round_trip_time(self) -> float:
        return self.mean(lambda call: call["roundTripTime"] / 10)

    @property
    def shown(self) -> float:
        return self.sum("framesShown") / self.sum("framesSent")

    @property
    def delay_target(self) -> float:
        return self.jitter + (self.round_trip_time + self.interval + 20 if self.network.loses else 10)

    @property
    def gap_target(self) -> float:
        return 2 * self.interval + self.round_trip_time + self.jitter + 100

    @property
    def recovered(self) -> list[float]:
        """Seconds after the disturbance until the delays are back to normal; negative for never."""
        return [each["recovered"] / (10_000 if each["recovered"] >= 0 else 1) for each in self.results if "recovered" in each]

    def gaps_over(self, is_excused: bool) -> list[Gap]:
        """Gaps longer than the target, longest first; those with a packet lost three times are excused."""
        gaps = [Gap(gap["length"] / 10, gap["losses"], seed) for seed, each in zip(self.calls, self.results) for gap in each["gaps"]]
        over = [gap for gap in gaps if gap.length > self.gap_target and (gap.losses >= 3) == is_excused]
        return sorted(over, key=lambda gap: -gap.length)

    def seeds_over(self) -> int:
        """The number of seeds whose own 95th percentile misses their own target."""
        alone = [replace(self, calls={seed: call}) for seed, call in self.calls.items()] if len(self.calls) > 1 else []
        return sum(cell.high_delay > cell.delay_target for cell in alone)

    def psnr(self) -> float:
        error = self.sum("squaredError") / max(1, self.sum("framesShown"))
        return 10 * math.log10(255 * 255 / error) if error > 0 else math.inf

    def targets(self) -> list[Target]:
        """Each target with the measured value, and whether it is met."""
        where = f"{self.network.name}, {TITLES[self.layer]}: "
        found = [Target(f"{where}95 % of delays at most {self.delay_target:.1f} ms", f"{self.high_delay:.1f} ms", self.high_delay <= self.delay_target)]
        if self.network.loses:
            over = self.gaps_over(False)
            text = f"{len(over)} longer"
            if over:
                text += f", the worst {over[0].length:.0f} ms (seed {over[0].seed})"
            found.append(Target(f"{where}no gap longer than {self.gap_target:.0f} ms", text, not over))
        if self.network.disturbance is not None:
            late = [value for value in self.recovered if value < 0 or value > 10]
            text = f"{len(late)} later, the latest {max(self.recovered):.1f} s" if late else f"{max(self.recovered):.1f} s"
            if any(value < 0 for value in late):
                text = f"{len(late)} later or never"
            found.append(Target(f"{where}the median back within 10 s", text, not late))
        return found
