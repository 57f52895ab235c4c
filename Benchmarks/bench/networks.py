"""The networks that calls are judged on, and the bars that they have to meet."""

import math
import statistics
from dataclasses import dataclass, field
from functools import cached_property

from .figures import percentile
from .report import Bar


@dataclass(frozen=True)
class Network:
    """One row of the table: a network, each way, in the notation of `rill loopback --network`."""

    name: str
    notation: str
    # The way back, where it differs.
    back: str | None = None
    # When it becomes worse, and when better again, as parts of the call's length.
    disturbance: tuple[float, float] | None = None
    loses: bool = False

    def text(self, seconds: int) -> str:
        """The notation for calls of that length."""
        if self.disturbance is None:
            return self.notation
        begin, end = (round(part * seconds) for part in self.disturbance)
        return self.notation.format(begin=f"{begin}s", end=f"{end}s")


# A Gaussian that is cut off at zero has less than its deviation: the mean delay is three times that, so that 1 packet in
# 700 is cut. A constant delay proves nothing without loss: the rows of round-trip times lose 2 %. The queue before the
# bottleneck holds three seconds, more than ever wait there: the step is to swell the delay, not to lose.
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


@dataclass
class Gap:
    """A long gap in the frames shown. Times are in ms."""

    length: float
    # How often the unluckiest of its packets was lost, and that with the times that it was asked for in vain.
    losses: int
    failures: int
    seed: int
    end: float
    # What happened to its packets, where that was asked.
    story: str | None


@dataclass
class Cell:
    """One layer on one network: all seeds together. Times are in ms."""

    network: Network
    layer: str
    calls: int
    seconds: int
    framesSent: int = 0
    framesShown: int = 0
    freezes: int = 0
    freezeTime: float = 0
    longGaps: int = 0
    longestGap: float = 0
    delays: list[int] = field(default_factory=list)
    jitters: list[int] = field(default_factory=list)
    roundTripTime: float = 0
    squaredError: float = 0
    requests: int = 0
    nacks: int = 0
    resent: int = 0
    lost: int = 0
    # What goes both ways, of both layers together: datagrams a second, and bits.
    datagrams: tuple[float, float] = (0, 0)
    bits: tuple[float, float] = (0, 0)
    gaps: list[Gap] = field(default_factory=list)
    settled: list[float] = field(default_factory=list)
    # Seeds whose own 95th percentile is over their own bar.
    seedsOver: list[int] = field(default_factory=list)

    @property
    def interval(self) -> float:
        return INTERVALS[self.layer]

    @cached_property
    def median(self) -> float:
        return percentile(self.delays, 0.5) / 10

    @cached_property
    def high_delay(self) -> float:
        """The 95th percentile."""
        return percentile(self.delays, 0.95) / 10

    @cached_property
    def jitter(self) -> float:
        """J: the 99th percentile."""
        return percentile(self.jitters, 0.99) / 10

    @property
    def shown(self) -> float:
        return self.framesShown / self.framesSent

    @property
    def freezes_per_minute(self) -> float:
        return self.freezes / (self.calls * self.seconds / 60)

    @property
    def delay_bar(self) -> float:
        if not self.network.loses:
            return self.jitter + 10
        return self.jitter + self.roundTripTime + self.interval + 20

    @property
    def gap_bar(self) -> float:
        return 2 * self.interval + self.roundTripTime + self.jitter + 100

    def gaps_over(self, is_excused: bool) -> list[Gap]:
        """Gaps longer than their bar, excused by a packet lost three times or not; the longest first."""
        over = [gap for gap in self.gaps if gap.length > self.gap_bar and (gap.losses >= 3) == is_excused]
        return sorted(over, key=lambda gap: -gap.length)

    def psnr(self) -> float:
        error = self.squaredError / max(1, self.framesShown)
        return 10 * math.log10(255 * 255 / error) if error > 0 else math.inf

    def bars(self) -> list[Bar]:
        """What is asked, what is there, and whether it is met."""
        where = f"{self.network.name}, {TITLES[self.layer]}: "
        found = [Bar(f"{where}95 % of delays at most {self.delay_bar:.1f} ms", f"{self.high_delay:.1f} ms", self.high_delay <= self.delay_bar)]
        if self.network.loses:
            over = self.gaps_over(False)
            text = f"{len(over)} longer"
            if over:
                text += f", the worst {over[0].length:.0f} ms (seed {over[0].seed})"
            found.append(Bar(f"{where}no gap longer than {self.gap_bar:.0f} ms", text, not over))
        if self.network.disturbance is not None:
            late = [value for value in self.settled if value < 0 or value > 10]
            text = f"{len(late)} later, the latest {max(self.settled):.1f} s" if late else f"{max(self.settled):.1f} s"
            if any(value < 0 for value in late):
                text = f"{len(late)} later or never"
            found.append(Bar(f"{where}the median back within 10 s", text, not late))
        return found


def pool(network: Network, layer: str, seconds: int, results: list[tuple[int, dict]]) -> Cell:
    """All calls' results of one layer, by seed, in one cell."""
    index = LAYERS.index(layer)
    if len(results) > 1:
        alone = {seed: pool(network, layer, seconds, [(seed, result)]) for seed, result in results}
        over = [seed for seed, cell in alone.items() if cell.high_delay > cell.delay_bar]
    else:
        over = []
    cell = Cell(network, layer, len(results), seconds)
    cell.seedsOver = over
    for seed, result in results:
        one = result["layers"][index]
        cell.framesSent += one["framesSent"]
        cell.framesShown += one["framesShown"]
        cell.freezes += one["freezes"]
        cell.freezeTime += one["freezeTime"] / 10
        cell.longGaps += one["longGaps"]
        cell.longestGap = max(cell.longestGap, one["longestGap"] / 10)
        cell.delays += one["delays"]
        cell.jitters += one["jitters"]
        cell.squaredError += one.get("squaredError") or 0
        cell.requests += one["keyFrameRequests"]
        cell.nacks += one["nacks"]
        cell.resent += one["packetsResent"]
        cell.lost += one["packetsLost"]
        cell.gaps += [
            Gap(gap["length"] / 10, gap["losses"], gap["failures"], seed, gap["end"] / 10, gap.get("story"))
            for gap in one["gaps"]
        ]
        if "settled" in one:
            cell.settled.append(one["settled"] / 10_000 if one["settled"] >= 0 else -1)
    cell.roundTripTime = statistics.mean(result["roundTripTime"] / 10 for _, result in results)
    cell.datagrams = tuple(statistics.mean(result["sent"][way] / seconds for _, result in results) for way in (0, 1))
    cell.bits = tuple(statistics.mean(8 * result["bytes"][way] / seconds for _, result in results) for way in (0, 1))
    return cell
