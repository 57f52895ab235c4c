"""Several calls behind one queue: whether they become equal, and how long packets wait."""

import math
from statistics import median

from ..report import Result, Table, Target

# Of `bench-calls congestion-shared`, and what Chromium did: utilisation of each flow, wait and fairness.
CASES = {"two flows": ".43 + .38  20 / 60  .983", "three flows": "", "beside CUBIC": ".10"}


def report(made: dict[str, list[dict]], result: Result) -> None:
    table = Table(
        ["case", "utilisation of each", "payload of each", "Jain", "wait", "wait 95 % of each", "below half, s", "high fps", "low fps", "Chromium"], [])
    for name, calls in made.items():
        flows = range(len(calls[0]["flows"]))

        def each(key: str, form: str, worst) -> str:
            values = [[call["flows"][index][key] for call in calls] for index in flows]
            return ", ".join(f"{median(of):{form}} [{worst(of):{form}}]" for of in values)

        fairness = [call["fairness"] for call in calls]
        table.rows.append([
            name, each("utilization", ".3f", min), each("payload", ".3f", min), f"{median(fairness):.3f} [{min(fairness):.3f}]",
            f"{median(call['waitMean'] for call in calls):.1f}", each("wait95", ".0f", max), each("belowHalf", ".0f", max),
            each("highRate", ".1f", min), each("lowRate", ".1f", min), CASES[name]])
        result.targets += targets(name, calls)
    result.blocks.append(table)
    result.note(
        "Behind one queue of 3 Mbit/s: two flows from 0 and 15 s on, judged from 45 to 90 s; three from 0 to 100, 20 to 120 and 40 to 80 s, "
        "judged from 50 to 80 s; one beside a simulated CUBIC flow. The seed decides how far apart their frames are. `Below half`: the longest time with less than half of a fair share. The "
        "rates are the lowest of any five seconds.")


def targets(name: str, calls: list[dict]) -> list[Target]:
    def flow(key: str, pick) -> list[float]:
        return [pick(each[key] for each in call["flows"]) for call in calls]

    low = flow("lowRate", min)
    found = [Target(f"{name}: low layer", f"{min(low):.2f}, at least 4.5", min(low) >= 4.5)]
    if name == "two flows":
        fairness, least = [call["fairness"] for call in calls], flow("utilization", min)
        found += [Target(f"{name}: Jain", f"{median(fairness):.3f}, at least .98", median(fairness) >= 0.98),
                  Target(f"{name}: the lower one", f"{median(least):.3f}, above .38", median(least) > 0.38)]
    if name == "three flows":
        below, tail = flow("belowHalf", max), flow("wait95", max)
        found += [Target(f"{name}: below half of a fair share", mostly(below, 10, "s"), share(below, 10) >= 0.9),
                  Target(f"{name}: wait, 95 %", mostly(tail, 80, "ms"), median(tail) <= 80)]
    return found


def share(values: list[float], limit: float) -> float:
    return sum(value <= limit for value in values) / len(values)


def mostly(values: list[float], limit: float, unit: str) -> str:
    worst = max(values, default=math.nan)
    return f"{median(values):.3g} {unit} [{worst:.3g}], at most {limit} in {share(values, limit):.0%} of the seeds"
