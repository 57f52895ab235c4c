"""Rill and Chromium behind one bottleneck, in real time: how they share it."""

import csv
import itertools
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from ..chromium import Calls, Flow
from ..clip import Clip
from ..job import Context, Job, WrongUse
from ..process import Process, command, progress, rill
from ..report import Result, Table, Target

# Each further flow begins so much later, in seconds, and the last part of a run is judged.
STAGGER, JUDGED = 10, 30
# IPv4 and UDP, which the relay counts in the queue.
HEADERS = 28
# Flows in the order in which they start: G is Chromium, R is Rill.
ORDERS = ("GR", "RG", "GGR", "RRG")
LINKS = tuple(itertools.product((1000, 2000, 3000), (40, 150)))


@dataclass(frozen=True)
class Cell:
    """Flows on a link: its rate in kbit/s, and its round trip in milliseconds."""

    flows: str
    rate: int
    round_trip: int

    @property
    def name(self) -> str:
        return f"{self.flows} {self.rate} kbit/s, {self.round_trip} ms"

    @property
    def own(self) -> "Cell":
        """As many flows, all of them Chromium's."""
        return Cell("G" * len(self.flows), self.rate, self.round_trip)


@dataclass
class Shares:
    """The share of the link that each flow had in the judged time."""

    flows: str
    each: list[float]

    @property
    def jain(self) -> float:
        return sum(self.each) ** 2 / (len(self.each) * sum(share * share for share in self.each))

    def of(self, kind: str) -> float:
        return mean([share for flow, share in zip(self.flows, self.each) if flow == kind] or [0.0])


CELLS = [Cell(order, rate, round_trip) for rate, round_trip in LINKS for order in ORDERS]


def execute(context: Context, result: Result) -> None:
    cells = [cell for cell in CELLS if context.row in cell.name]
    if not cells:
        raise WrongUse("cells: " + "; ".join(cell.name for cell in CELLS))
    clip, duration = context.clip(), context.duration
    if duration < JUDGED + STAGGER * 2:
        raise WrongUse(f"the last {JUDGED} s are judged: a run takes at least {JUDGED + STAGGER * 2} s")
    own: dict[Cell, Shares] = {}
    table = Table(["flows and link", "Jain", "Chromium", "beside its own kind", "ratio", "Rill", "sum", "each run: Jain, Chromium"], [])
    for cell in cells:
        # The alone runs are shared by all orders of as many flows.
        if cell.own not in own:
            progress(f"{cell.own.name}")
            own[cell.own] = share(cell.own, clip, duration, context)
        beside = own[cell.own].of("G")
        made = []
        for number in range(context.iterations):
            progress(f"{cell.name}: run {number + 1} of {context.iterations}")
            made.append(share(cell, clip, duration, context))
        theirs, jains = [each.of("G") for each in made], [each.jain for each in made]
        table.rows.append([
            cell.name, f"{mean(jains):.3f}", f"{mean(theirs):.3f}", f"{beside:.3f}", f"{mean(theirs) / beside:.2f}",
            f"{mean(each.of('R') for each in made):.3f}", f"{mean(sum(each.each) for each in made):.3f}",
            " ".join(f"{each.jain:.2f},{each.of('G'):.2f}" for each in made)])
        result.targets += [
            Target(f"{cell.name}: Chromium's share", f"{mean(theirs) / beside:.2f} of that beside its own kind, at least 0.8",
                   mean(theirs) >= 0.8 * beside),
            Target(f"{cell.name}: in each run", f"{min(theirs) / beside:.2f}, at least 0.6", min(theirs) >= 0.6 * beside)]
        if cell.rate >= 2000 and len(cell.flows) == 2:
            result.targets.append(Target(f"{cell.name}: Jain's index", f"{mean(jains):.3f}, at least .93", mean(jains) >= 0.93))
    progress("")
    result.blocks.append(table)
    result.note(
        f"Runs of {duration} s in real time through `rill relay`, one after the other: flows begin {STAGGER} s apart, in the order of their letters "
        f"(G: Chromium with itself, R: `rill send` to `rill receive`), and the last {JUDGED} s are judged, in bytes with all headers over what the "
        f"link can carry. Means of {context.iterations} runs; Chromium beside its own kind is measured once for each link and number of flows.")


def share(cell: Cell, clip: Clip, duration: int, context: Context) -> Shares:
    """Makes the calls of a cell once."""
    program = rill()
    count = len(cell.flows)
    ports = free_ports(2 * count)
    listening, receiving = ports[:count], ports[count:]
    most = 1000 * max(2500, cell.rate)
    folder = context.folder
    log, running = folder / "relay.csv", []
    google = [index for index, kind in enumerate(cell.flows) if kind == "G"]
    browser = Calls([Flow(STAGGER * index, listening[index], most) for index in google], clip) if google else None
    try:
        begin = time.monotonic() + 1
        if browser:
            for index, port in zip(google, browser.ports):
                receiving[index] = port
        pairs = [word for near, far in zip(listening, receiving) for word in ("--listen", near, "--to", f"127.0.0.1:{far}")]
        delay = f"{cell.round_trip // 2}ms"
        running.append(Process(command(
            program, "relay", *pairs, "--shared-queue", "forward", "--network", f"rate={cell.rate}k,queue=300ms,delay={delay}",
            "--return-network", f"delay={delay}", "--duration", f"{duration + 5}s", "--log", log)))
        for index, kind in enumerate(cell.flows):
            if kind != "R":
                continue
            description = folder / f"{index}.sdp"
            description.unlink(missing_ok=True)
            running.append(Process(command(
                program, "send", clip.path, "--loop", "--to", f"127.0.0.1:{listening[index]}", "--sdp", description, "--bitrate", f"{most // 1000}k",
                "--congestion", f"30k...{most // 1000}k", "--delay", f"{max(0.3, begin - time.monotonic() + STAGGER * index):.3f}s",
                "--duration", f"{duration}s")))
            while not description.exists() or not description.stat().st_size:
                time.sleep(0.02)
            running.append(Process(command(program, "receive", description, "--port", receiving[index], "--wait", "60s")))
        time.sleep(max(0.0, begin + duration - time.monotonic()))
        running[0].interrupt()
        running[0].wait(duration + 30)
    finally:
        for each in running:
            each.stop()
        if browser:
            browser.stop()
    return Shares(cell.flows, shares(log, cell, count))


def shares(log: Path, cell: Cell, count: int) -> list[float]:
    """What each pair of the relay carried forward in the judged time, as shares of the link."""
    rows = []
    with open(log, newline="", encoding="ascii") as lines:
        for row in csv.DictReader(lines):
            if row["direction"] == "forward" and row["departure_s"]:
                rows.append((float(row["departure_s"]), int(row["pair"]), int(row["bytes"])))
    end = max(time for time, _, _ in rows) - 0.5
    carried = [0.0] * count
    for departure, pair, length in rows:
        if end - JUDGED <= departure < end:
            carried[pair - 1] += 8 * (length + HEADERS)
    return [bits / (1000 * cell.rate * JUDGED) for bits in carried]


def free_ports(count: int) -> list[int]:
    """UDP ports that nobody has now."""
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


JOB = Job(
    "neighbors", "Sharing a link with Chromium",
    "Rill and Chromium send a clip through `rill relay` behind one bottleneck of 1 to 3 Mbit/s, in real time: who gets which share, beside what "
    "Chromium gets beside its own kind. Wants an idle machine.",
    execute, {"iterations": 2, "row": "", "duration": 60},
)
