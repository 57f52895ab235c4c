"""Congestion control over emulated networks, with encoders and decoders in virtual time, beside what Chromium did on the same links."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median

from ..job import Context, Job, WrongUse
from ..process import build, command, progress, run
from ..report import Result, Table, Target
from . import congestion_live, congestion_shared, congestion_trace


@dataclass(frozen=True)
class Case:
    """A case of `bench-calls congestion`; the limits are those of the median and of the worst seed."""

    name: str
    # Chromium's utilisation and its mean and 95th percentile of the wait, by window.
    chromium: tuple[str, ...]
    utilization: float = 0.9
    payload: float = 0.84
    # Seconds until 90 % of a risen capacity is used.
    rises: tuple[float, ...] = ()
    freezes: int | None = None


CASES = [
    Case("start", (".80  13 / 35",), rises=(2.5,)),
    Case("steps", (".78  14 / 35", ".76  10 / 31"), rises=(5.0,)),
    Case("drop", (".82  18 / 48", ".79  12 / 38", ".84  21 / 68"), rises=(7.0,)),
    Case("loss 0 %", (".86  26",), rises=(3.0,)),
    Case("loss 1 %", (".81  18",), 0.88, 0.82, freezes=1),
    Case("loss 2 %", (".86  21",), 0.88, 0.80, freezes=1),
    Case("loss 5 %", (".82  19",), 0.87, 0.76, freezes=3),
    Case("loss 10 %", (".65  8",), 0.80, 0.66, freezes=8),
    Case("jitter in order", (".88  24 / 66",)),
    Case("jitter overtaking", (".46  5 / 14",), 0.88, 0.82),
    Case("narrow return", (".89  32 / 103",)),
]


def execute(context: Context, result: Result) -> None:
    if context.traces:
        return congestion_trace.execute(context, result)
    if context.live:
        names = [name for name in congestion_live.CASES if context.row in name]
        return congestion_live.execute(context, result, known(names, congestion_live.CASES))
    cases = {case.name: case for case in CASES}
    names = [name for name in (*cases, *congestion_shared.CASES) if context.row in name]
    made = calls(known(names, (*cases, *congestion_shared.CASES)), context)
    single = {cases[name]: found for name, found in made.items() if name in cases}
    if single:
        result.blocks += [windows(single, result), steps(single, result), extra(single, result)]
        result.note(
            "`sent` is from capture to the end of the last packet's transmission, `shown` to the picture. Payload is that of the frames that were shown.",
            "Chromium: utilisation and mean / 95th percentile of the wait of Chromium 156 on the same links.")
    if shared := {name: found for name, found in made.items() if name not in cases}:
        congestion_shared.report(shared, result)
    result.note(
        f"Medians of {context.seeds} seeds, the worst seed in brackets. Waits are in the bottleneck's queue, in ms. 95th percentiles leave out "
        "the second after each cut of the clip, unless a column says `with cuts`.")


def known(names: list[str], all_names: tuple[str, ...]) -> list[str]:
    if not names:
        raise WrongUse("cases: " + "; ".join(all_names))
    return names


def calls(names: list[str], context: Context) -> dict[str, list[dict]]:
    """Makes each case's call with each seed."""
    program, clip = build("bench-calls"), context.clip()
    jobs = [(name, seed) for name in names for seed in range(1, context.seeds + 1)]
    made: dict[str, list[dict]] = {name: [] for name in names}

    def call(work: tuple[str, int]) -> tuple[str, dict]:
        name, seed = work
        verb = "congestion-shared" if name in congestion_shared.CASES else "congestion"
        words = (verb, "--case", name, "--seed", str(seed), "--clip", clip.path)
        return name, json.loads(run(command(program, *words)).answer)

    with ThreadPoolExecutor(context.workers) as pool:
        for number, (name, found) in enumerate(pool.map(call, jobs)):
            made[name].append(found)
            progress(f"{number + 1} of {len(jobs)} calls")
    progress("")
    return made


def figure(values: list[float], form: str, worst=min) -> str:
    return f"{median(values):{form}} [{worst(values):{form}}]"


def windows(made: dict[Case, list[dict]], result: Result) -> Table:
    table = Table(
        ["case and window", "utilisation", "payload", "wait", "95 %", "with cuts", "sent 95 %", "with cuts", "decodable 95 %", "shown 95 %",
         "high fps", "low fps", "freezes", "Chromium"], [])
    quality_notes: list[str] = []
    for case, calls in made.items():
        for index, chromium in enumerate(case.chromium):
            found = [call["windows"][index] for call in calls]

            def values(name: str) -> list[float]:
                return [each[name] for each in found]

            table.rows.append([
                f"{case.name}, {found[0]['from']} to {found[0]['to']} s", figure(values("utilization"), ".3f"),
                figure(values("payload"), ".3f"), figure(values("waitMean"), ".1f", max), figure(values("wait95"), ".0f", max),
                f"{median(values('wait95WithCuts')):.0f}", figure(values("sent95"), ".0f", max), f"{median(values('sent95WithCuts')):.0f}",
                f"{median(values('decodable95')):.0f}", f"{median(values('shown95')):.0f}", figure(values("highRate"), ".1f"), figure(values("lowRate"), ".2f"),
                figure(values("freezes"), ".0f", max), chromium,
            ])
            where = f"{case.name}, window {index + 1}"
            result.targets += [
                least(f"{where}: utilisation", values("utilization"), case.utilization, case.utilization - 0.05),
                least(f"{where}: payload", values("payload"), case.payload),
                most(f"{where}: wait", values("waitMean"), 20, 25), most(f"{where}: wait, 95 %", values("wait95"), 60, 80),
                most(f"{where}: capture to sent, 95 %", values("sent95"), 95), least(f"{where}: low layer", values("lowRate"), 4.5, 4.5),
            ]
            if quality := [each["psnr"] - each["psnrAlone"] for each in found if each["psnr"]]:
                result.targets += [least(f"{where}: high layer", values("highRate"), 15, 15),
                                   least(f"{where}: PSNR beside the encoder alone, dB", quality, -1.5, -1.5)]
                quality_notes.append(f"{where}: high layer {figure([each['psnr'] for each in found], '.1f')} dB, the encoder alone "
                                     f"{figure([each['psnrAlone'] for each in found], '.1f')} dB at the same bitrate.")
            if case.freezes is not None:
                result.targets += [most(f"{where}: freezes a minute", [2 * each for each in values("freezes")], case.freezes),
                                   most(f"{where}: capture to decodable, 95 %", values("decodable95"), 300)]
    if quality_notes:
        result.note(*quality_notes)
    return table


def extra(made: dict[Case, list[dict]], result: Result) -> Table:
    """What is sent beside frames, their first retransmissions and reports."""
    table = Table(["case", "padding", "needless retransmissions", "doubled", "all retransmissions"], [])
    for case, calls in made.items():
        shares = {name: [call[name + "Share"] for call in calls] for name in ("padding", "needless", "doubled", "retransmission")}
        shares["retransmission"] = [sum(each) for each in zip(shares["retransmission"], shares["needless"], shares["doubled"])]
        table.rows.append([case.name] + [figure(values, ".2%", max) for values in shares.values()])
        idle = [sum(each) for each in zip(shares["padding"], shares["needless"])]
        result.targets.append(most(f"{case.name}: padding and needless retransmissions", idle, 0.02))
    return table


def steps(made: dict[Case, list[dict]], result: Result) -> Table:
    table = Table(["step", "90 % after, s", "longest wait while rising", "first cut, s", "estimate below 110 %, s", "drained, s", "lost", "frozen, s",
                   "payload at 75 %, s"], [])
    for case, calls in made.items():
        for index, limit in enumerate(case.rises):
            times = [call["rises"][index] if call["rises"][index] >= 0 else float("inf") for call in calls]
            waits = [call["waitsWhileRising"][index] for call in calls]
            table.rows.append([f"{case.name}, up", figure(times, ".1f", max), figure(waits, ".0f", max)] + [""] * 6)
            for name, met in ((f"90 % within {limit} s", [time <= limit for time in times]),
                              ("at most 120 ms of queue on the way", [wait <= 120 for wait in waits])):
                share = sum(met) / len(met)
                result.targets.append(Target(f"{case.name}: {name}", f"{share:.0%} of the seeds, at least 90 %", share >= 0.9))
        if not calls[0]["drops"]:
            continue
        drops = [call["drops"][0] for call in calls]

        def values(name: str) -> list[float]:
            return [each[name] if each[name] >= 0 else float("inf") for each in drops]

        table.rows.append([f"{case.name}, down", "", "", figure(values("firstCut"), ".2f", max), figure(values("estimateBelow"), ".2f", max), figure(values("drained"), ".1f", max),
                           figure(values("lost"), ".1%", max), figure(values("frozen"), ".1f", max), figure(values("payloadBack"), ".1f", max)])
        result.targets += [
            most(f"{case.name}: first cut, s", values("firstCut"), 0.3), most(f"{case.name}: estimate below 110 %, s", values("estimateBelow"), 0.5), most(f"{case.name}: drained, s", values("drained"), 1.2),
            most(f"{case.name}: lost", values("lost"), 0.09), most(f"{case.name}: frozen, s", values("frozen"), 1.2),
            most(f"{case.name}: payload at 75 %, s", values("payloadBack"), 6),
        ]
    return table


def least(name: str, values: list[float], limit: float, worst: float = 0) -> Target:
    text = f"{median(values):.3f} [{min(values):.3f}], at least {limit:g}" + (f" [{worst:g}]" if worst else "")
    return Target(name, text, median(values) >= limit and min(values) >= worst)


def most(name: str, values: list[float], limit: float, worst: float = float("inf")) -> Target:
    text = f"{median(values):.3g} [{max(values):.3g}], at most {limit:g}" + (f" [{worst:g}]" if worst < float("inf") else "")
    return Target(name, text, median(values) <= limit and max(values) <= worst)


JOB = Job(
    "congestion", "Congestion control beside Chromium",
    "Sends a clip (1280x720 compares with Chromium) over networks whose capacity is limited, in virtual time with encoders and "
    "decoders; measures how much of the capacity is used, how long packets wait, and how steps up and down are followed. --live makes the "
    "first three in real time too, one after the other, over sockets and `rill relay`: --iterations each, on an idle machine. "
    "--traces plays recordings of mobile links instead, such as those of mahimahi.",
    execute, {"seeds": 20, "row": "", "workers": 2, "live": False, "iterations": 3, "seconds": None, "traces": ""},
)
