"""How many live senders, and how many received streams, one process handles in real time.

A model of the cost of a layer, a packet and a pixel (`model.py`) is fitted to loads of one kind of stream each. Then both kinds are
combined in growing numbers until real time is lost, and the measured cost is compared with the model's prediction.
"""

import os
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ..clip import RATE, Clip
from ..figures import Figure, count
from ..job import Context, Job
from ..listening import free_port
from ..model import CapacityModel, Load, Measurement, fit_sum, instruction_row, memory_row
from ..process import CommandFailed, Process, build, command, printed, progress, run
from ..report import Drawing, Result, Table, Text, target

# The normal low layer, and others that separate the costs of a pixel, a packet and a layer.
PLAIN, HEAVY, FAST = "45k@5", "200k@5", "45k@15"
LOW_PIXELS = 160 * 120
# A load that keeps a part of the machine busy: a picture's cost next to others does not follow from its cost alone.
BUSY_SHARES = (0.3, 0.5, 0.7)
# The participants of the conference that has a target.
CONFERENCE = 17
# The seconds of receiving before the measurement, until the last stream has started, and of packets after it.
WARM_UP, ENTRY, REST = 2.0, 1.0, 0.5

Measure = Callable[[], Measurement]


@dataclass
class Climb:
    """Growing loads; the calibration has the cost of each addition."""

    title: str
    counted: str
    counts: list[int]
    load: Callable[[int, dict[str, Load]], Load]
    measure: Callable[[int], Measurement]
    rounds: dict[int, list[Measurement]] = field(default_factory=dict)


@dataclass
class Group:
    """Loads that share one model."""

    name: str
    calibration: dict[str, Measure]
    climbs: list[Climb]


def execute(context: Context, result: Result) -> None:
    threads, clip = os.cpu_count() or 1, context.clip(60)
    streams = Streams(context, clip, threads, context.most)
    for group in (streams.senders(), streams.receivers()):
        measured: dict[str, list[Measurement]] = {name: [] for name in group.calibration}
        for index in range(1, context.rounds + 1):
            for name, measure in group.calibration.items():
                progress(f"scale, round {index} of {context.rounds}: {group.name}, {name}")
                measured[name].append(measure())
            for each in group.climbs:
                climb(each, index, context, threads)
        describe(result, group, {name: Measurement.middle(rounds) for name, rounds in measured.items()}, threads)
    result.note(
        "CPU is relative to one hardware thread: 100 % is one fully busy thread. Real time means that at least 99 % of the pictures are "
        "encoded, or shown within a thirtieth of a second after their last packet. The model is fitted to loads of one kind of stream "
        "each, and predicts the loads above, which were not used for the fit. It predicts the minimum CPU of the rounds: other processes "
        "can only add to it. Timings are taken while instructions are not counted, since counting costs time. The memory of senders does "
        "not include the clip that stands in for cameras. Adaptation, which would reduce the picture size instead of dropping pictures, "
        "is off."
    )


def climb(each: Climb, index: int, context: Context, threads: int) -> None:
    def measure(number: int) -> Measurement:
        progress(f"scale, round {index} of {context.rounds}: {number} {each.counted}, {each.title}")
        found = each.measure(number)
        each.rounds.setdefault(number, []).append(found)
        return found

    if index == 1:
        find_limit([number for number in each.counts if number <= context.most], lambda number: is_held(threads, lambda: measure(number)))
    else:
        for number in sorted(each.rounds):
            measure(number)


def is_held(threads: int, measure: Measure, attempts: int = 3) -> bool:
    """Whether a load runs in real time. If it was late although half of the machine was idle, it had to wait, as happens when a
    host suspends a virtual machine for seconds; then it is tried again."""
    for _ in range(attempts):
        found = measure()
        if found.is_real_time:
            return True
        if found.cpu + found.feeder > threads / 2:
            return False
    return False


def find_limit(counts: list[int], holds: Callable[[int], bool]) -> None:
    """Increases the count until one fails twice, then searches between it and the last that passed, until they differ by at most
    10 %."""
    held, lost = 0, None
    for number in counts:
        if not (holds(number) or holds(number)):
            lost = number
            break
        held = number
    while lost is not None and lost - held > max(1, held // 10):
        middle = (held + lost) // 2
        held, lost = (middle, lost) if holds(middle) else (held, middle)


class Streams:
    """Runs processes with any number of live senders or of received streams, and measures them."""

    def __init__(self, context: Context, clip: Clip, threads: int, most: int) -> None:
        self.context, self.clip, self.threads, self.seconds = context, clip, threads, context.seconds
        self.work = context.work or build("bench-work")
        # A socket for all packets that is never read: the system discards what does not fit.
        self.abyss = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.abyss.bind(("127.0.0.1", 0))
        self.recordings: dict[str, tuple[list, list]] = {}
        self.most = most
        # The thumbnails of the calibration, at most as many as the largest load has.
        self.few, self.many, self.multitude = min(24, 8 * most), min(96, 32 * most), min(768, 64 * most)

    def crowds(self, cpu: float) -> list[int]:
        """The numbers of streams of one size that keep a part of the machine busy without overloading it. Several numbers, since
        the model of a busy machine depends on them, and one may be measured while others use the host."""
        return sorted({max(2, min(self.most, int(share * self.threads / max(cpu, 1e-3)))) for share in BUSY_SHARES})

    # Senders.

    def senders(self) -> Group:
        full = (self.clip.width, self.clip.height)
        half = (full[0] // 4 * 2, full[1] // 4 * 2)
        sizes = [full, half] if full[0] >= 640 and full[1] >= 360 else [full]
        progress("scale: one sender of each size, to see how many keep the machine busy")
        calibration: dict[str, Measure] = {
            f"{number} × {name(size)}": partial(self.send, number, "high", size)
            for size in sizes for number in [1, *self.crowds(self.send(1, "high", size).cpu)]
        }
        for number, kind in ((self.few, PLAIN), (self.few, HEAVY), (self.few, FAST), (self.many, PLAIN)):
            calibration[f"{number} × 160x120, {kind}"] = partial(self.send, number, "low", full, kind)
        return Group("senders", calibration, [self._sender_climb(size) for size in sizes])

    def _sender_climb(self, size: tuple[int, int]) -> Climb:
        def load(number: int, known: dict[str, Load]) -> Load:
            low = known.get(f"{self.few} × 160x120, {PLAIN}", Load())
            return (known.get(f"1 × {name(size)}", Load()) + low * (1 / self.few)) * number

        counts = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128]
        title = f"Sending {name(size)} at 30 and 160x120 at 5 pictures a second"
        return Climb(title, "senders", counts, load, lambda number: self.send(number, "both", size))

    def send(self, number: int, layers: str, size: tuple[int, int], kind: str = PLAIN) -> Measurement:
        is_whole = size == (self.clip.width, self.clip.height)
        bitrate = (is_whole and self.context.bitrate) or Clip("", Path(), *size, 0).bitrate()
        words = ("senders", "--clip", self.clip.path, "--size", name(size), "--count", number, "--layers", layers, "--bitrate", f"{bitrate}k")
        address = "127.0.0.1:%d" % self.abyss.getsockname()[1]
        done = run(command(self.work, *words, "--low-stream", kind, "--seconds", self.seconds, "--to", address), self.seconds + 120)
        found = printed(done.output)
        rates = (0 if layers == "low" else RATE) + (0 if layers == "high" else int(kind.split("@")[1]))
        high, low = (0 if layers == "low" else number), (0 if layers == "high" else number)
        load = self._load(found, high, low, size[0] * size[1])
        in_time = min(1, (found["high"] + found["low"]) / (number * rates * found["wall"]))
        return Measurement(load, found["cpu"], 0, found.get("instructions"), done.peak - found["held"], in_time)

    @staticmethod
    def _load(found: dict[str, float], high: int, low: int, pixels: int) -> Load:
        wall = found["wall"]
        return Load(high, low, found["packets"] / wall, found["high"] * pixels / wall, found["low"] * LOW_PIXELS / wall)

    # Receivers.

    def receivers(self) -> Group:
        progress("scale: one received stream, to see how many keep the machine busy")
        numbers = [1, *self.crowds(self.receive(1, 0).cpu)]
        calibration: dict[str, Measure] = {f"{number} × {self.clip.size}": partial(self.receive, number, 0) for number in numbers}
        for number, kind in ((self.few, PLAIN), (self.few, HEAVY), (self.few, FAST), (self.many, PLAIN), (self.multitude, PLAIN)):
            calibration[f"{number} × 160x120, {kind}"] = partial(self.receive, 0, number, kind)

        def load(number: int, known: dict[str, Load]) -> Load:
            low = known.get(f"{self.many} × 160x120, {PLAIN}", Load())
            return known.get(f"1 × {self.clip.size}", Load()) + low * ((number - 1) / self.many)

        counts = [2, 5, 9, 17, 33, 65, 129, 257, 513, 1025, 2049]
        title = f"Receiving one stream of {self.clip.size} at 30 and the others at 160x120 and 5 pictures a second"
        return Group("receivers", calibration, [Climb(title, "participants", counts, load, lambda number: self.receive(1, number - 1))])

    def receive(self, high: int, low: int, kind: str = PLAIN) -> Measurement:
        packets, address = self.context.folder / "participants.rtpdump", f"127.0.0.1:{free_port()}"
        self._write_participants(high, low, kind, packets)
        words = ("receivers", "--at", address, "--high", high, "--low", low, "--seconds", self.seconds, "--threads", self.threads)
        receivers, feeders = Process(command(self.work, *words)), []

        def look() -> None:
            if not feeders and receivers.printed().startswith("ready"):
                feeders.append(Process(command(self.work, "replay", "--packets", packets, "--to", address)))

        done = receivers.wait(self.seconds + 120, look, pause=0.02)
        fed = feeders[0].wait(self.seconds + 120)
        found = printed(done.output)
        due = (high * RATE + low * int(kind.split("@")[1])) * found["wall"]
        in_time = max(0, min(1, (found["high"] + found["low"] - found["late"]) / due))
        load = self._load(found, high, low, self.clip.pixels)
        return Measurement(load, found["cpu"], fed.cpu / (self._length + ENTRY), found.get("instructions"), done.peak, in_time)

    @property
    def _length(self) -> float:
        """The seconds of packets: for every two timed seconds, instructions are counted for one more."""
        return WARM_UP + self.seconds * 1.5 + REST

    def _write_participants(self, high: int, low: int, kind: str, path: Path) -> None:
        """The packets of many participants as a conference's server sends them, made from one recording of each layer. Every
        stream has its own SSRC and phase, so that key frames do not coincide. Full-size sources come first."""
        if kind not in self.recordings:
            files = [self.context.folder / f"{layer}.rtpdump" for layer in ("high", "low")]
            bitrate = f"{self.context.bitrate or self.clip.bitrate()}k"
            words = ("record", "--clip", self.clip.path, "--high", files[0], "--low", files[1], "--bitrate", bitrate)
            run(command(self.work, *words, "--low-stream", kind, "--seconds", self._length))
            self.recordings[kind] = tuple(read_rtpdump(file) for file in files)
        events = []
        for recording, first, number in zip(self.recordings[kind], (0, high), (high, low)):
            for source in range(number):
                phase = ENTRY * 1000 * source / number
                events += [(time + phase, first + source + 1, place, packet) for place, (time, packet) in enumerate(recording)]
        with path.open("wb") as file:
            file.write(b"#!rtpplay1.0 127.0.0.1/5004\n" + bytes(16))
            for time, source, _, packet in sorted(events, key=lambda event: event[:3]):
                # The SSRC is in bytes 8 to 11 (RFC 3550 §5.1).
                packet = packet[:8] + source.to_bytes(4, "big") + packet[12:]
                file.write((len(packet) + 8).to_bytes(2, "big") + len(packet).to_bytes(2, "big") + round(time).to_bytes(4, "big") + packet)


def read_rtpdump(path: Path) -> list[tuple[int, bytes]]:
    """The milliseconds and bytes of each RTP packet of an rtpdump file: after a line and a header of 16 bytes, each packet follows
    its lengths and its time."""
    data = path.read_bytes()
    place, packets = data.index(b"\n") + 1 + 16, []
    while place + 8 <= len(data):
        record, size, time = (int.from_bytes(data[place + start : place + end], "big") for start, end in ((0, 2), (2, 4), (4, 8)))
        packet = data[place + 8 : place + record]
        if size and not 192 <= packet[1] <= 223:
            packets.append((time, packet))
        place += record
    return packets


def name(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"


@dataclass
class Step:
    """A load that was not used for the fit."""

    number: int
    measured: Measurement
    cpu: float
    instructions: float | None
    memory: float | None
    is_predicted_to_hold: bool

    def errors(self) -> dict[str, float | None]:
        """The relative errors of the predictions. Loads that lost real time did not do all of their work and are left out."""
        found = self.measured
        pairs = {"CPU time": (self.cpu, found.least_cpu), "instructions": (self.instructions, found.instructions), "memory": (self.memory, found.memory)}
        return {
            key: predicted / measured - 1 if found.is_real_time and predicted and measured and predicted < 1e15 else None
            for key, (predicted, measured) in pairs.items()
        }


def describe(result: Result, group: Group, calibration: dict[str, Measurement], threads: int) -> None:
    loads = list(calibration.values())
    model = CapacityModel.fit(loads, threads)
    if model is None:
        raise CommandFailed(f"no costs of a layer, a packet and a pixel fit the measurements of {group.name}")
    instructions = fit_sum(loads, instruction_row, [each.instructions for each in loads])
    memory = fit_sum(loads, memory_row, [each.memory for each in loads])

    def total(costs: list[float] | None, row: list[float]) -> float | None:
        return sum(cost * amount for cost, amount in zip(costs, row)) if costs else None

    for each in group.climbs:
        steps = []
        for number, rounds in sorted(each.rounds.items()):
            load, middle = each.load(number, {key: value.load for key, value in calibration.items()}), Measurement.middle(rounds)
            steps.append(Step(
                number, middle, model.cpu(load, middle.feeder), total(instructions, instruction_row(load)),
                total(memory, memory_row(load)), model.holds(load, middle.feeder)))
        describe_climb(result, group, each, steps, threads)
    result.blocks += [model_table(group, model, instructions, memory), calibration_table(group, calibration, model)]


def percent(share: float) -> Figure:
    return Figure(f"{share:.1%}".replace("%", " %"), share, repeats=False) if share < 1e9 else Figure("too much")


def describe_climb(result: Result, group: Group, climb: Climb, steps: list[Step], threads: int) -> None:
    held = max((step.number for step in steps if step.measured.is_real_time), default="none")
    predicted = max((step.number for step in steps if step.is_predicted_to_hold), default="none")
    text = f"{climb.title}: {held} {climb.counted} in real time, of those measured {predicted} predicted."
    head = [climb.counted, "CPU", "at least", "predicted", "off by", "M instructions/s", "off by ", "memory", "off by  ", "in time", "real time"]
    table = Table(head, [])
    for step in steps:
        found, errors = step.measured, [f"{error:+.1%}" if error is not None else "" for error in step.errors().values()]
        table.rows.append([
            str(step.number), percent(found.cpu), percent(found.least_cpu), percent(step.cpu), errors[0],
            count(found.instructions, ".0f", 1e6), errors[1], count(found.memory, ".1f", 2**20, " MiB"), errors[2],
            percent(found.in_time), "yes" if found.is_real_time else "no",
        ])
    result.blocks += [Text(text), Drawing(cpu_plot(climb, steps, threads)), table]
    for step in steps:
        if climb.counted == "participants" and step.number == CONFERENCE and step.measured.is_real_time:
            title = f"{step.number} participants received in real time, CPU"
            result.targets.append(target(title, step.measured.cpu * 100, 15, "% of a core"))
    spreads = {"CPU time": lambda each: each.cpu, "instructions": lambda each: each.instructions}
    for quantity in ("CPU time", "instructions", "memory"):
        errors = [error for step in steps if (error := step.errors()[quantity]) is not None]
        if errors:
            # The spread of the same load between rounds.
            spread = [found for step in steps if quantity in spreads and (found := step.measured.spread(spreads[quantity])) is not None]
            note = f"the same load varies by at most {max(spread):.1%} between rounds" if spread else ""
            title = f"{climb.counted}, largest error of the model: {quantity} ({climb.title})"
            result.targets.append(target(title, 100 * max(map(abs, errors)), 10, "%", note))


def model_table(group: Group, model: CapacityModel, instructions: list[float] | None, memory: list[float] | None) -> Table:
    """The costs in CPU time, instructions and memory."""
    layer, packet, high, low = model.costs
    work, held = instructions or [None] * 4, memory or [None] * 4
    rows = [
        ("the process", None, None, held[0]), ("a stream at full size", layer, work[0], held[1]),
        ("a stream of thumbnails", layer, work[0], held[2]), ("a packet, with its encoded bytes", packet, work[1], None),
        ("a million pixels, full size", high * 1e6, work[2] and work[2] * 1e6, held[3] and held[3] * 1e6),
        ("a million pixels, thumbnails", low * 1e6, work[3] and work[3] * 1e6, None),
    ]
    table = Table([f"the model of {group.name}", "CPU time", "instructions", "memory"], [])
    for title, cpu, number, size in rows:
        milliseconds = Figure(f"{cpu * 1e3:.3f} ms", cpu, repeats=False) if cpu is not None else Figure("–")
        table.rows.append([title, milliseconds, count(number, ".3f", 1e6, " M"), count(size, ".3f", 2**20, " MiB")])
    table.rows.append(["pixels, while all threads are busy", f"{model.sharing:+.0%}", "", ""])
    table.rows.append(["layers and packets, while all threads are busy", f"{model.waking:+.0%}", "", ""])
    return table


def calibration_table(group: Group, calibration: dict[str, Measurement], model: CapacityModel) -> Table:
    rows = [[key, percent(each.least_cpu), percent(model.cpu(each.load, each.feeder))] for key, each in calibration.items()]
    return Table([f"{group.name}, fitted to", "CPU, minimum", "by the model"], rows)


def cpu_plot(climb: Climb, steps: list[Step], threads: int) -> dict:
    measured = [[step.number, 100 * step.measured.least_cpu] for step in steps]
    predicted = [[step.number, min(100 * step.cpu, 100 * threads)] for step in steps if step.cpu < 1e9]
    rounds = [[step.number, *(100 * end([each.cpu for each in step.measured.rounds]) for end in (min, max))] for step in steps if step.measured.rounds]
    points = {is_held: [point for point, step in zip(measured, steps) if step.measured.is_real_time is is_held] for is_held in (True, False)}
    marks = [
        mark("all rounds", "blue", "band", rounds), mark("predicted", "grey", "dashed", predicted),
        mark("measured, minimum", "blue", "line", measured), mark("in real time", "blue", "scatter", points[True]),
        mark("real time lost", "red", "scatter", points[False]),
    ]
    top = max([y for _, y in measured + predicted] + [high for *_, high in rounds])
    caption = f"CPU of the process, where 100 % is one of {threads} hardware threads. Red: pictures are dropped or late. Dashed: the model, which was fitted to other loads."
    # Linear up to a dozen; logarithmic for loads that grow by doubling.
    numbers = [step.number for step in steps]
    scale, least = ("logarithmic", min(numbers)) if max(numbers) > 40 else ("count", 0)
    x = {"title": climb.counted, "unit": "", "scale": scale, "range": [least, max(numbers)]}
    y = {"title": "CPU", "unit": "% of a thread", "scale": "linear", "range": [0, 1.02 * top]}
    marks = [each for each in marks if each["points"]]
    return {"kind": "plot", "title": climb.title, "caption": caption, "height": 180, "x": x, "y": y, "marks": marks}


def mark(title: str, ink: str, form: str, points: list[list[float]]) -> dict:
    return {"name": title, "ink": ink, "form": form, "points": points}


JOB = Job(
    "scale", "How many streams one process handles in real time",
    "Only Rill: how many live senders, and how many received streams, one process handles before pictures are dropped or late, their "
    "cost, and how well a model of the cost of a layer, a packet and a pixel predicts it.",
    execute, {"seconds": 8, "rounds": 1, "most": 4096, "bitrate": None, "work": None},
)
