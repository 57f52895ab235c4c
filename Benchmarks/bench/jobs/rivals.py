"""Rill's jitter buffer compared with GStreamer's on the same packets: freezes against delay."""

import statistics
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from .. import gstreamer
from ..calls import Maker, job
from ..figures import count, percentile
from ..job import Context, Job
from ..networks import LAYERS, NETWORKS, TITLES, Cell, Network
from ..process import CommandFailed, progress
from ..report import Drawing, Result, Table, Target
from .scale import mark

# The key frame interval in seconds, as in broadcasts: longer intervals make the comparison mostly luck, and with shorter ones key
# frames take most of the bits.
KEY_SECONDS = 2
OURS = "Rill"
# How freezes are counted: by W3C's rule, and by a plain threshold.
RULES = {"freezes": "freezes", "longGaps": "gaps > 500 ms"}


@dataclass
class Panel:
    """One layer on one network: the results of each receiver, Rill's first."""

    network: Network
    layer: str
    cells: dict[str, Cell]

    def better_than_ours(self, rule: str) -> list[str]:
        """The receivers with both fewer freezes and less delay than Rill."""
        ours = self.cells[OURS]
        return [
            name for name, cell in self.cells.items()
            if cell.sum(rule) < ours.sum(rule) and cell.high_delay < ours.high_delay
        ]


def run(context: Context, result: Result) -> None:
    seconds, seeds = context.duration, range(1, context.seeds + 1)
    gstreamer.receiver()
    maker = Maker(context.arguments.clip, seconds, KEY_SECONDS, context.workers)
    captures = {
        (network, seed): maker.folder / f"trace-{index}-{seed}.pcap" for index, network in enumerate(NETWORKS) for seed in seeds
    }
    ours = maker.make({
        (network, seed): job(network, seconds, seed) | {"isOpenLoop": True, "capture": str(path)}
        for (network, seed), path in captures.items()
    })
    theirs = play_all(captures, context.workers)
    progress("")
    panels = [panel(network, layer, seconds, seeds, ours, theirs) for network in NETWORKS for layer in LAYERS]
    describe(result, panels)
    result.targets += targets(panels)
    if context.real:
        paths, step = list(captures.values()), max(1, len(captures) // context.real)
        for path in paths[step // 2 :: step][: context.real]:
            result.note(*real_time(path))


def play_all(captures: dict, workers: int) -> dict:
    """GStreamer's results for each trace and layer, by latency."""
    todo, results = [(key, layer) for key in captures for layer in LAYERS], {}

    def play(item: tuple) -> None:
        key, layer = item
        results[item] = gstreamer.judge(captures[key], gstreamer.describe(captures[key])[layer])
        progress(f"GStreamer: trace {len(results)} of {len(todo)}")

    with ThreadPoolExecutor(workers) as threads:
        list(threads.map(play, todo))
    return results


def panel(network: Network, layer: str, seconds: int, seeds: range, ours: dict, theirs: dict) -> Panel:
    calls = {seed: ours[network, seed] for seed in seeds}
    cells = {OURS: Cell(network, layer, seconds, calls)}
    for latency in gstreamer.LATENCIES:
        shown = {seed: theirs[(network, seed), layer].get(latency) for seed in seeds}
        if None in shown.values():
            raise CommandFailed(f"GStreamer at {latency} ms shows nothing of {network.name}, {layer}")
        others = {seed: call | {"layers": [shown[seed]] * len(LAYERS)} for seed, call in calls.items()}
        cells[f"GStreamer {latency}"] = Cell(network, layer, seconds, others)
    return Panel(network, layer, cells)


def total(panels: list[Panel], name: str, rule: str) -> tuple[int, float]:
    """The sum of the freezes and the mean of the 95th percentiles over the table."""
    cells = [panel.cells[name] for panel in panels]
    return sum(cell.sum(rule) for cell in cells), statistics.mean(cell.high_delay for cell in cells)


def targets(panels: list[Panel]) -> list[Target]:
    """On no network does a GStreamer setting have both fewer freezes and less delay than Rill. Over the whole table Rill is better
    than each setting in one of the two and not worse in the other. Both hold for both ways of counting freezes."""
    found = []
    for rule, title in RULES.items():
        better = [f"{name} ({each.network.name}, {TITLES[each.layer]})" for each in panels for name in each.better_than_ours(rule)]
        found.append(Target(f"no setting has fewer {title} and less delay on any network", "; ".join(better) or "none", not better))
        ours = total(panels, OURS, rule)
        for name in list(panels[0].cells)[1:]:
            freezes, delay = total(panels, name, rule)
            is_met = ours[0] <= freezes and ours[1] <= delay and ours != (freezes, delay)
            text = f"{ours[0]} and {ours[1]:.1f} ms, theirs {freezes} and {delay:.1f} ms"
            found.append(Target(f"overall, {title} and delay: not behind {name}, ahead in one", text, is_met))
    return found


def describe(result: Result, panels: list[Panel]) -> None:
    names = list(panels[0].cells)
    table = Table(["freezes, 95 % of the delays in ms", *names], [])
    more = Table(["receiver", "freezes", "frozen s", "> 500 ms", "median ms", "95 % ms", "shown"], [])
    for each in panels:
        title = f"{each.network.name}, {TITLES[each.layer]}"
        table.rows.append([title, *(count(cell.sum("freezes"), unit=f", {cell.high_delay:.0f}") for cell in each.cells.values())])
        more.rows.append([title])
        for name, cell in each.cells.items():
            more.rows.append([
                f"{name} ({title})", count(cell.sum("freezes")), count(cell.sum("freezeTime"), ".1f", 10_000), count(cell.sum("longGaps")),
                count(cell.median, ".1f"), count(cell.high_delay, ".1f"), count(100 * cell.shown, ".2f", unit=" %"),
            ])
        result.blocks.append(Drawing(plot(each)))
    sums = [total(panels, name, "freezes") for name in names]
    table.rows.append(["all: sum, mean", *(count(freezes, unit=f", {delay:.1f}") for freezes, delay in sums)])
    result.blocks += [table, more]


def plot(panel: Panel) -> dict:
    """Freezes per minute against the 95th percentile of the delay: lower left is better."""
    points = {name: [cell.high_delay, cell.sum("freezes") / cell.minutes] for name, cell in panel.cells.items()}
    ours, theirs = [points.pop(OURS)], list(points.values())
    marks = [mark("GStreamer, by latency", "orange", "line", theirs), mark("each latency", "orange", "scatter", theirs), mark(OURS, "blue", "scatter", ours)]
    x = {"title": "95 % of added delays", "unit": "ms", "scale": "linear", "range": [0, 1.1 * max(x for x, _ in theirs + ours)]}
    y = {"title": "freezes per minute", "unit": "", "scale": "linear", "range": [0, 1.2 * max([1, *(y for _, y in theirs + ours)])]}
    title = f"{panel.network.name}, {panel.layer} layer: freezes per minute"
    return {"kind": "plot", "title": title, "caption": "", "height": 100, "x": x, "y": y, "marks": marks}


def real_time(capture: Path) -> list[str]:
    """The time differences between pictures in real time and in virtual time."""
    notes = []
    for name, layer in gstreamer.describe(capture).items():
        played = []
        for clock in ("virtual", "real"):
            lines = (line.split() for line in gstreamer.play(capture, layer, [50, 200], clock).splitlines())
            played.append({(latency, timestamp): int(time) for latency, timestamp, time in lines})
        apart = [abs(played[0][key] - played[1][key]) / 1e6 for key in played[0].keys() & played[1].keys()]
        only = len(played[0].keys() ^ played[1].keys())
        notes.append(
            f"{capture.name}, {name}: {len(apart)} pictures in virtual and in real time, {only} in only one of them; they differ by "
            f"{statistics.median(apart):.2f} ms in the median, {percentile(apart, 0.95):.2f} ms in 95 %, {max(apart):.2f} ms at most"
        )
    return notes


JOB = Job(
    "rivals", "Jitter buffers of Rill and GStreamer",
    "The networks are those of `network`, but without feedback: no packet is retransmitted, and key frames come only every "
    f"{KEY_SECONDS} seconds. The received packets are recorded and played, in virtual time, into `rtpjitterbuffer latency=L ! rtpvp8depay "
    "wait-for-keyframe=true ! vp8dec ! sink`; Rill receives them with its defaults, the same for all networks. The same code evaluates "
    "both; decoding takes no time in either. --real N also plays N of the traces in real time, to verify virtual time.",
    run, {"seeds": 3, "duration": 30, "workers": 2, "real": None},
)
