"""A live loopback call: on an idle machine, on one whose processors do not sleep, and on a busy one."""

import math
import os
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ..clip import RATE
from ..figures import Figure, percentile
from ..job import Context, Job
from ..process import CommandFailed, Process, build, build_c, command, meanwhile, progress, run
from ..report import Drawing, Result, Table, Target, Text, target

# Rill may add this much to the encoder's own time at the 99th percentile.
MOST_ADDED = 1.0
# Half a minute is long enough to judge the 99th percentile.
PROBED_FRAMES = 900
# SRTP may add this much in the median.
MOST_PROTECTION = 0.1
# Alternating calls with and without SRTP, and the seconds of each.
CALLS, CALL_SECONDS = 4, 30
DEVICE = Path("/dev/cpu_dma_latency")
RATES = {"high": RATE, "low": 5}
INKS = {"idle": "blue", "sleepless": "green", "busy": "orange"}

# Stages of a frame: title, depth as a part of the stage above, and a function of the timestamps of sending (captured, preprocessed,
# scaled, encoded, sent) and of showing (arrived, assembled, released, decoded, shown).
STAGES = [
    ("captured → last packet sent", 0, lambda sent, shown: sent[4] - sent[0]),
    ("of it the encoder's call", 1, lambda sent, shown: sent[3] - sent[2]),
    ("of it what Rill adds", 1, lambda sent, shown: sent[4] - sent[0] - (sent[3] - sent[2])),
    ("waking the layer's thread, scaling", 2, lambda sent, shown: sent[2] - sent[1]),
    ("packetizing and sending", 2, lambda sent, shown: sent[4] - sent[3]),
    ("first packet → picture shown", 0, lambda sent, shown: shown and shown[4] - shown[0]),
    ("last packet → picture shown", 0, lambda sent, shown: shown and shown[4] - shown[1]),
    ("of it the decoder's call", 1, lambda sent, shown: shown and shown[3] - shown[2]),
    ("captured → picture shown", 0, lambda sent, shown: shown and shown[4] - sent[0]),
]
ADDED = STAGES[2][0]


@dataclass
class Layer:
    """One layer's frames in a call, by their RTP timestamps; times are in nanoseconds of one clock."""

    name: str
    counts: dict[str, int] = field(default_factory=dict)
    sent: dict[int, list[int]] = field(default_factory=dict)
    shown: dict[int, list[int]] = field(default_factory=dict)
    due: int = 0

    def milliseconds(self, stage) -> list[float]:
        """The times of the frames that were sent and shown."""
        found = (stage(times, self.shown.get(timestamp)) for timestamp, times in self.sent.items())
        return [value / 1e6 for value in found if value is not None]

    @property
    def spared(self) -> int:
        """Frames skipped because the layer reduced its frame rate on a busy machine."""
        return self.due - sum(self.counts.get(name, 0) for name in ("coded", "encoderBusy", "rateControl", "unchanged"))

    @property
    def lost(self) -> int:
        return self.due - self.counts.get("shown", 0)

    @property
    def packets_lost(self) -> int:
        return self.counts.get("packetsSent", 0) - self.counts.get("packetsReceived", 0)

    def losses(self) -> Iterator[str]:
        """The losses and their reasons, as far as they are known."""
        reasons = [
            (self.counts.get("encoderBusy", 0), "replaced by a newer frame"), (self.counts.get("rateControl", 0), "dropped by the rate control"),
            (self.spared, "skipped on a busy machine"),
            (self.counts.get("decoded", 0) - self.counts.get("shown", 0), "decoded too late and not shown"),
        ]
        if self.lost:
            reasons_text = ", ".join(f"{number} {reason}" for number, reason in reasons if number > 0)
            yield f"{self.lost} of {self.due} frames of {self.name}" + (f" ({reasons_text})" if reasons_text else "")
        if self.packets_lost:
            yield f"{self.packets_lost} datagrams of {self.name}"


@dataclass
class Call:
    """The measurements of a live call, and the machine's other load meanwhile."""

    condition: str
    load: str
    # The wake-up delays of an otherwise idle thread and of a second one that it wakes, in milliseconds.
    woken: list[float] = field(default_factory=list)
    handed: list[float] = field(default_factory=list)
    # The wake-up delays of the capture thread.
    capture: list[float] = field(default_factory=list)
    layers: dict[str, Layer] = field(default_factory=dict)
    # Hardware threads used by other processes, and taken by the hypervisor.
    others: tuple[float, float] | None = None

    def read(self, text: str) -> None:
        """Parses the output of `bench-work latency`."""
        for number, line in enumerate(text.splitlines(), 1):
            match line.split():
                case ["captured", due, woken]:
                    self.capture.append((int(woken) - int(due)) / 1e6)
                case ["sent" | "shown" as kind, name, timestamp, *times] if len(times) == 5 and "-" not in times:
                    getattr(self._layer(name), kind)[int(timestamp)] = [*map(int, times)]
                case ["layer", name, *pairs]:
                    self._layer(name).counts = {key: int(value) for key, value in (pair.split("=") for pair in pairs)}
                case [only] if only.startswith("frames="):
                    pass
                case _:
                    raise CommandFailed(f"line {number} of the output cannot be parsed: {line[:80]}")
        for layer in self.layers.values():
            layer.due = math.ceil(len(self.capture) * RATES.get(layer.name, RATE) / RATE)

    def _layer(self, name: str) -> Layer:
        return self.layers.setdefault(name, Layer(name))

    def groups(self) -> list[tuple[str, list[tuple[str, int, list[float]]]]]:
        """The durations: the machine, the capture thread, then each layer."""
        machine = [("a thread that only sleeps wakes", 0, self.woken), ("a second one wakes, woken by the first", 0, self.handed)]
        groups = [("the machine, without a call", machine), ("capture", [("awake after the frame was due", 0, self.capture)])]
        for layer in self.layers.values():
            groups.append((layer.name, [(title, depth, layer.milliseconds(stage)) for title, depth, stage in STAGES]))
        return groups


def machine_time() -> tuple[float, float]:
    """CPU seconds of all threads since the machine started: used, and taken by the hypervisor."""
    ticks = [float(word) / os.sysconf("SC_CLK_TCK") for word in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    return ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6], ticks[7]


@contextmanager
def sleepless() -> Iterator[None]:
    """Keeps the processors from deep sleep while the file is open."""
    with DEVICE.open("wb", buffering=0) as file:
        file.write(bytes(4))
        yield


def execute(context: Context, result: Result) -> None:
    clip, threads = context.clip(60), os.cpu_count() or 1
    frames = context.duration * RATE
    words = ("latency", "--clip", clip.path, "--bitrate", f"{context.bitrate or clip.bitrate()}k", "--frames", frames)
    what = command(context.work or build("bench-work"), *words)
    result.commands.append(("latency, a live call", str(what)))
    calls = [call(Call("idle", "no other load is started"), what, context.duration)]
    try:
        with sleepless():
            calls.append(call(Call("sleepless", "no other load is started, and no processor sleeps"), what, context.duration))
    except OSError as refusal:
        result.note(f"The call without sleep was skipped: {refusal}.")
    # In this process group, so that it ends with this process.
    spin = command("timeout", "--foreground", context.duration + 400, "sh", "-c", "while :; do :; done")
    with meanwhile(*[spin] * threads):
        load = f"{threads} other processes keep all {threads} hardware threads busy"
        calls.append(call(Call("busy", load), what, context.duration))
    describe(result, calls)
    protection(result, what, min(CALL_SECONDS, context.duration))
    for each in calls:
        if each.condition != "busy":
            result.targets += targets(each, context.duration)
    result.note(
        "The camera is the clip's first 60 pictures, held in memory and played forwards and backwards at 30 frames per second, so that "
        f"there is no cut. The sender encodes {clip.size} and 160x120 at 5 frames per second, and sends both over UDP on 127.0.0.1; the "
        "receiver decodes and shows them. Capture, each encoder, receiving and decoding have a thread each. All times are of one clock. "
        "The high layer's encoder has a hardware thread for itself, all other threads share the rest.",
        "Before the call, two threads only wake, 30 times per second for at most half a minute: one sleeps, and wakes the other. This is "
        "the machine's own latency in that half minute; it may be worse later.",
        "An idle processor sleeps, and on a virtual machine wakes only when the host schedules it again. The call without sleep asks Linux "
        f"for a wake-up latency of zero ({DEVICE}), as an app can with WakeLatencyRequest.",
        "Captured is when a frame was due, so it includes the capture thread's delay. What Rill adds is the time to the last packet "
        "without the encoder's own call: waking, passing on, scaling, packetizing, system calls. Shown frames include the wait in the "
        "jitter buffer until they are due.",
    )


def call(found: Call, what, seconds: int) -> Call:
    progress(f"latency, {found.condition}: waking")
    probe = run(command(build_c("wake-probe", "-lpthread"), min(seconds * RATE, PROBED_FRAMES)))
    for line in probe.output.splitlines():
        due, woken, handed = map(int, line.split())
        found.woken.append((woken - due) / 1e6)
        found.handed.append((handed - due) / 1e6)
    progress(f"latency, {found.condition}: a call of {seconds} s")
    before = machine_time()
    # Poll the call rarely, so that polling does not keep the processors awake.
    done = Process(what).wait(seconds + 300, lambda: None, pause=0.2)
    busy, stolen = (after - start for after, start in zip(machine_time(), before))
    found.others = (max(0, busy - done.cpu) / done.wall, stolen / done.wall)
    found.read(done.output)
    return found


def protection(result: Result, what, seconds: int) -> None:
    """Calls without SRTP and with each of two profiles, alternating: what SRTP adds to a frame's latency."""
    kinds = {"without SRTP": (), "AES-128-GCM": ("--protection", "gcm"), "AES-CM and HMAC": ("--protection", "cm")}
    medians: dict[tuple, list[float]] = defaultdict(list)
    for number in range(CALLS):
        for kind, words in kinds.items():
            progress(f"latency, {kind}: call {number + 1} of {CALLS}, {seconds} s")
            found = Call(kind, "")
            found.read(Process(command(*what.words, *words)).wait(seconds + 300, lambda: None, pause=0.2).output)
            for layer in found.layers.values():
                for title, _, stage in (STAGES[2], STAGES[-1]):
                    medians[layer.name, title, kind].append(percentile(layer.milliseconds(stage), 0.5))
    table = Table([f"SRTP, ms, median of {CALLS} calls' medians", *kinds, "without SRTP, min–max"], [])
    for name, title in dict.fromkeys((name, title) for name, title, _ in medians):
        found = {kind: medians[name, title, kind] for kind in kinds}
        middles = {kind: percentile(sorted(values), 0.5) for kind, values in found.items()}
        clear = found["without SRTP"]
        cells = [Figure(f"{value:.3f}", value, repeats=False) for value in middles.values()]
        table.rows.append([f"{name}, {title.removeprefix('of it ')}", *cells, f"{min(clear):.3f}–{max(clear):.3f}"])
        if title == ADDED:
            for kind in list(kinds)[1:]:
                note = f"the calls without SRTP are {max(clear) - min(clear):.3f} ms apart"
                result.targets.append(target(f"live, what {kind} adds to {name}, median", middles[kind] - middles["without SRTP"], MOST_PROTECTION, "ms", note))
    result.blocks.append(table)


def targets(call: Call, seconds: int) -> list[Target]:
    """The targets of a call on an otherwise idle machine, with or without sleep."""
    found, losses = [], 0
    for layer in call.layers.values():
        name = f"live, what Rill adds to {layer.name} at the 99th percentile, {call.condition}"
        note = f"two idle threads: {percentile(call.handed, 0.99):.3f} ms"
        found.append(target(name, percentile(layer.milliseconds(STAGES[2][2]), 0.99), MOST_ADDED, "ms", note))
        losses += max(0, layer.lost) + max(0, layer.packets_lost)
    note = ", ".join(each for layer in call.layers.values() for each in layer.losses())
    name = f"live, frames and datagrams lost in {seconds} s, {call.condition}"
    return [*found, target(name, losses if call.capture else None, 0, note=note)]


COLUMNS = [("median", 0.5), ("90 %", 0.9), ("95 %", 0.95), ("99 %", 0.99), ("99.9 %", 0.999), ("max", 1)]
COUNTS = [
    ("frames due", lambda layer: layer.due), ("replaced by a newer frame", "encoderBusy"), ("dropped by the rate control", "rateControl"),
    ("skipped on a busy machine", lambda layer: layer.spared), ("frames encoded", "coded"), ("packets sent", "packetsSent"),
    ("packets received", "packetsReceived"), ("frames decoded", "decoded"), ("frames shown", "shown"),
    ("frames lost", lambda layer: layer.lost), ("datagrams lost", lambda layer: layer.packets_lost),
    ("size changes on a busy machine", "sizeChanges"),
]


def describe(result: Result, calls: list[Call]) -> None:
    for name in calls[0].layers:
        result.blocks.append(Drawing(plot(name, calls)))
    for each in calls:
        busy, stolen = each.others or (0, 0)
        result.blocks.append(Text(
            f"{each.condition}: {each.load}. Other processes used {busy:.2f} hardware threads meanwhile, the hypervisor {stolen:.2f}."
        ))
        table = Table([f"{each.condition}, ms", "frames", *(name for name, _ in COLUMNS)], [])
        for title, rows in each.groups():
            table.rows.append([title])
            for name, depth, values in rows:
                if values:
                    table.details |= {len(table.rows)} if depth else set()
                    values_of = [(percentile(values, share), share) for _, share in COLUMNS]
                    cells = [Figure(f"{value:.2f}", value, repeats=False) for value, _ in values_of]
                    table.rows.append([f"{'  ' * (depth + 1)}{name} ({title})", Figure(str(len(values)), len(values)), *cells])
        result.blocks.append(table)
        layers = each.layers.values()
        counts = Table([f"{each.condition}, frames and packets", *(layer.name for layer in layers)], [])
        for name, value in COUNTS:
            counts.rows.append([name, *(f"{value(layer) if callable(value) else layer.counts.get(value, 0)}" for layer in layers)])
        result.blocks.append(counts)


def plot(layer: str, calls: list[Call]) -> dict:
    """Histograms of one layer; the first layer's also show the capture thread, which the layers share."""
    is_first, rows = layer == next(iter(calls[0].layers)), defaultdict(list)
    limits = {ADDED: MOST_ADDED / 1000}
    for each in calls:
        for title, stages in each.groups():
            if title == layer or (is_first and title not in each.layers):
                for name, _, values in stages:
                    if values:
                        rows[name].append(series(each.condition, values))
    values = [value for each in calls for _, stages in each.groups() for *_, found in stages for value in found]
    caption = (
        "The distribution of durations on a logarithmic axis. Each plot is scaled to its tallest bar, and single frames are visible. "
        "Dashed: the 99th percentile."
    )
    return {
        "kind": "histogram", "title": f"The {layer} layer", "caption": caption, "span": [max(min(values), 1e-4) / 1000, max(values) / 1000],
        "rows": [{"name": name, "limit": limits.get(name), "series": found} for name, found in rows.items()],
    }


def series(condition: str, values: list[float]) -> dict:
    """A histogram with logarithmic buckets, 20 per decade, from 100 ns."""
    found: dict[int, int] = defaultdict(int)
    for value in values:
        found[math.floor(20 * math.log10(max(value, 1e-4) / 1e-4) + 1e-9)] += 1

    def start(index: int) -> float:
        return 1e-7 * 10 ** (index / 20)

    buckets = [{"range": [start(index), start(index + 1)], "count": number} for index, number in sorted(found.items())]
    median, high = percentile(values, 0.5), percentile(values, 0.99)
    note = f"median {median:.2f}, 99 % {high:.2f}, max {max(values):.2f} ms"
    return {"name": condition, "ink": INKS[condition], "buckets": buckets, "mark": high / 1000, "note": note}


JOB = Job(
    "latency", "Latency of a live call",
    "Only Rill: from capture to the last packet and from the first packet to the picture, on an idle machine, on one whose processors "
    "are kept from sleeping, and on one whose threads are all busy.",
    execute, {"duration": 60, "bitrate": None, "work": None},
)
