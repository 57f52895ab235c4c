"""Calls over bad networks: freezes, delay, gaps and picture quality, and whether the targets are met."""

import math
import time

from ..calls import Maker, job
from ..figures import count
from ..job import Context, Job, WrongUse
from ..networks import LAYERS, NETWORKS, TITLES, Cell
from ..process import progress
from ..report import Result, Table


def run(context: Context, result: Result) -> None:
    begin, seconds = time.monotonic(), context.duration
    seeds = context.seeds or (5 if context.quick else 50)
    networks = [network for network in NETWORKS if context.row in network.name]
    if not networks or seconds < 20:
        raise WrongUse("calls take 20 s or more, over one of: " + "; ".join(network.name for network in NETWORKS))
    maker = Maker(context.arguments.clip, seconds, None, context.workers)
    jobs = {(network, seed): job(network, seconds, seed) for network in networks for seed in range(1, seeds + 1)}
    if context.two_way:
        jobs = {key: each | {"isTwoWay": True} for key, each in jobs.items()}
    results = maker.make(jobs)
    repeated = {} if context.quick or context.two_way else again_with_codecs(maker, jobs, results)
    results |= repeated
    cells = [
        Cell(network, layer, seconds, {seed: results[network, seed] for (n, seed) in jobs if n == network})
        for network in networks
        for layer in LAYERS
    ]
    progress("")
    if context.check:
        check(maker, jobs, results, context.check, result)
    describe(result, cells)
    result.note(f"{seeds} seeds of {seconds} s; made again with codecs: {len(repeated)} calls; {time.monotonic() - begin:.1f} s in all.")
    result.targets += [target for cell in cells for target in cell.targets()]


def asks(made: dict) -> bool:
    """Whether a key frame was requested: a real encoder would then have made other frames."""
    return any(layer["keyFrameRequests"] for layer in made["layers"])


def again_with_codecs(maker: Maker, jobs: dict, results: dict) -> dict:
    """Makes the calls with key frame requests again, with encoders and decoders."""
    made = maker.make({key: jobs[key] | {"usesCodecs": True} for key, found in results.items() if asks(found)})
    for key, found in made.items():
        # Requests are only counted in the run without codecs; the quality is from the other run.
        for layer, other in zip(found["layers"], results[key]["layers"]):
            layer["nacks"] = layer["nacks"] or other["nacks"]
            layer["keyFrameRequests"] = layer["keyFrameRequests"] or other["keyFrameRequests"]
    return made


def check(maker: Maker, jobs: dict, results: dict, seeds: int, result: Result) -> None:
    """Makes calls without key frame requests with codecs, too, and lists those with different results."""
    chosen = {key: each | {"usesCodecs": True} for key, each in jobs.items() if key[1] <= seeds and not asks(results[key])}
    different = []
    for key, full in maker.make(chosen).items():
        for mine, other in zip(results[key]["layers"], full["layers"]):
            # Counted in only one of the two.
            mine, other = (dict(layer) | {"nacks": 0, "keyFrameRequests": 0} for layer in (mine, other))
            near = math.isclose(mine.pop("squaredError"), other.pop("squaredError"), rel_tol=1e-12)
            if mine != other or not near:
                different.append(f"{key[0].name}, seed {key[1]}")
    result.note(f"{len(chosen)} calls repeated with codecs: {len(different)} of them differ.")
    if different:
        result.failures.append("results differ without and with codecs: " + ", ".join(different))


def describe(result: Result, cells: list[Cell]) -> None:
    head = ["network", "layer", "freezes per minute, > 500 ms", "median ms", "95 %, target ms", "shown", "PSNR-Y dB", "gaps over target, excused"]
    table = Table(head, [])
    more = Table(
        ["network and layer", "freezes", "seeds over", "J", "RTT", "longest gap, target ms", "lost", "retransmitted", "NACKs", "key frames",
         "recovered s", "sent /s", "kbit/s", "returned /s", "kbit/s returned"], [])
    for cell in cells:
        gaps = ", ".join(str(len(cell.gaps_over(is_excused))) for is_excused in (False, True)) if cell.network.loses else ""
        freezes = count(cell.sum("freezes") / cell.minutes, ".2f", unit=f", {cell.sum('longGaps') / cell.minutes:.2f}")
        delay = count(cell.high_delay, ".0f", unit=f", {cell.delay_target:.0f}")
        row = [freezes, count(cell.median, ".0f"), delay, count(100 * cell.shown, ".1f", unit="%"), count(cell.psnr(), ".2f"), gaps]
        table.rows.append([cell.network.name, TITLES[cell.layer], *row])
        longest = max(each["longestGap"] for each in cell.results)
        # Datagrams per second and kbit/s of both layers together, in both directions.
        ways = [
            count(cell.mean(lambda call: call[name][way]) / seconds, ".1f")
            for way in (0, 1) for name, seconds in (("sent", cell.seconds), ("bytes", 125 * cell.seconds))
        ]
        more.rows.append([
            f"{cell.network.name}, {TITLES[cell.layer]}", count(cell.sum("freezes")), count(cell.seeds_over()), count(cell.jitter, ".1f"),
            count(cell.round_trip_time, ".1f"), count(longest, ".0f", 10, f", {cell.gap_target:.0f}"),
            *(count(cell.sum(name)) for name in ("packetsLost", "packetsResent", "nacks", "keyFrameRequests")),
            count(max(cell.recovered), ".1f") if cell.recovered else "", *ways,
        ])
    result.blocks += [table, more]


JOB = Job(
    "network", "Calls over bad networks",
    "Sends both layers of a call, 640x480 at 30 frames per second and 400 kbit/s and 160x120 at 5 and 45 kbit/s, over each network of "
    "bench/networks.py (which defines the targets) in virtual time; NACKs and key frame requests return over the same network. All seeds "
    "of a network are judged together. The clip (Y4M of 640x480, 30 frames per second) is encoded once, and calls are simulated without "
    "codecs, which is exact unless a key frame is requested. Calls with such requests are repeated with encoders and decoders. Results are "
    "stored in Benchmarks/.build/network, so that an interrupted run resumes. --quick makes 5 seeds without codecs; --two-way sends the "
    "same layers in the other direction, too, in the same two sessions, also without codecs.",
    run,
    {"seeds": None, "duration": 120, "row": "", "quick": False, "check": None, "two-way": False, "workers": 2},
)
