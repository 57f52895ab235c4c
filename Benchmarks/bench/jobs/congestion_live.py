"""Congestion control in real time, beside virtual time: sockets, SRTP and `rill relay` on this machine."""

import json
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median

from ..job import Context
from ..process import build, command, progress, rill, run
from ..report import Result, Table, Target

# The cases that are also measured in real time.
CASES = ("start", "steps", "drop")
# How far the medians may differ.
TOLERANCE = 0.1


@dataclass(frozen=True)
class Quantity:
    """A figure of a call: how it is written, and where it is found."""

    name: str
    form: str
    # Smaller differences do not count, whatever they are in percent.
    floor: float
    # What it is read from: windows, rises or drops.
    part: str
    key: str = ""

    def of(self, call: dict, index: int) -> float:
        found = call[self.part][index]
        value = found[self.key] if self.key else found
        # -1: it never happened.
        return value if value >= 0 else math.inf


WINDOW = [
    Quantity("utilisation", ".3f", 0.01, "windows", "utilization"), Quantity("payload", ".3f", 0.01, "windows", "payload"),
    Quantity("wait, ms", ".1f", 3, "windows", "waitMean"), Quantity("wait 95 %, ms", ".0f", 8, "windows", "wait95"),
    Quantity("sent 95 %, ms", ".0f", 8, "windows", "sent95"), Quantity("shown 95 %, ms", ".0f", 15, "windows", "shown95"),
    Quantity("high, fps", ".1f", 0.5, "windows", "highRate"), Quantity("low, fps", ".2f", 0.1, "windows", "lowRate"),
    Quantity("freezes", ".0f", 1, "windows", "freezes"),
]
RISE = [Quantity("90 % after, s", ".1f", 0.4, "rises"), Quantity("longest wait, ms", ".0f", 15, "waitsWhileRising")]
DROP = [
    Quantity("estimate below 110 %, s", ".2f", 0.1, "drops", "estimateBelow"), Quantity("drained, s", ".1f", 0.3, "drops", "drained"),
    Quantity("lost", ".3f", 0.01, "drops", "lost"), Quantity("frozen, s", ".1f", 0.3, "drops", "frozen"),
    Quantity("payload at 75 %, s", ".1f", 0.5, "drops", "payloadBack"),
]


def execute(context: Context, result: Result, names: list[str]) -> None:
    program, relay, clip = build("bench-calls"), rill(), context.clip()
    length = ("--seconds", context.seconds) if context.seconds else ()
    table = Table(["case", "figure", "real time", "each run", "virtual time", "difference"], [])

    def call(name: str, verb: str, seed: int, *rest: object) -> dict:
        progress(f"{name}: {verb} {seed}")
        words = (verb, "--case", name, "--seed", seed, "--clip", clip.path, *length, *rest)
        return json.loads(run(command(program, *words)).answer)

    # First, and one at a time: real time needs the machine for itself.
    made = {name: [call(name, "congestion-live", seed, "--rill", relay) for seed in range(1, context.iterations + 1)] for name in names}
    with ThreadPoolExecutor(context.workers) as pool:
        for name, live in made.items():
            virtual = list(pool.map(lambda seed: call(name, "congestion", seed), range(1, context.seeds + 1)))
            compare(name, live, virtual, table, result)
    progress("")
    result.blocks.append(table)
    result.note(
        f"Medians of {context.iterations} runs in real time, over UDP sockets with SRTP (AES-GCM) through `rill relay`, and of "
        f"{context.seeds} seeds in virtual time, where encoding takes 10 ms and decoding 5. A difference counts above {TOLERANCE:.0%} and "
        "above what a run's chance makes of a small figure. SRTP's 16 bytes a packet are part of the utilisation, not of the payload.")



def compare(name: str, live: list[dict], virtual: list[dict], table: Table, result: Result) -> None:
    """Adds the rows of a case."""
    for index, window in enumerate(virtual[0]["windows"]):
        add(f"{name}, {window['from']} to {window['to']} s", WINDOW, index, live, virtual, table, result)
    for index in range(len(virtual[0]["rises"])):
        add(f"{name}, up", RISE, index, live, virtual, table, result)
    for index in range(len(virtual[0]["drops"])):
        add(f"{name}, down", DROP, index, live, virtual, table, result)


def add(
    where: str, quantities: list[Quantity], index: int, live: list[dict], virtual: list[dict], table: Table, result: Result
) -> None:
    """Adds a row and a target for each figure."""
    for quantity in quantities:
        runs = [quantity.of(call, index) for call in live]
        real, model = median(runs), median(quantity.of(call, index) for call in virtual)
        table.rows.append([
            where, quantity.name, f"{real:{quantity.form}}", " ".join(f"{each:{quantity.form}}" for each in runs),
            f"{model:{quantity.form}}", difference(real, model)])
        is_met = real == model or abs(real - model) <= max(TOLERANCE * abs(model), quantity.floor)
        result.targets.append(Target(
            f"{where}: {quantity.name}", f"{real:{quantity.form}} in real time, {model:{quantity.form}} in virtual time", is_met))


def difference(real: float, model: float) -> str:
    """How much more real time has, in percent."""
    return f"{real / model - 1:+.0%}" if model and math.isfinite(real) and math.isfinite(model) else "–"
