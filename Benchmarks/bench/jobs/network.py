"""How a call holds out on bad networks: freezes, delay, gaps and pictures, and whether the bars are met."""

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
    result.bars += [bar for cell in cells for bar in cell.bars()]


def asks(made: dict) -> bool:
    """Whether somebody asked for a key frame: then an encoder would have made other frames."""
    return any(layer["keyFrameRequests"] for layer in made["layers"])


def again_with_codecs(maker: Maker, jobs: dict, results: dict) -> dict:
    """The calls in which somebody asks, with encoders and decoders."""
    made = maker.make({key: jobs[key] | {"usesCodecs": True} for key, found in results.items() if asks(found)})
    for key, found in made.items():
        # Who asked for what is only counted where the sender is ours alone; the picture is that of the other run.
        for layer, other in zip(found["layers"], results[key]["layers"]):
            layer["nacks"] = layer["nacks"] or other["nacks"]
            layer["keyFrameRequests"] = layer["keyFrameRequests"] or other["keyFrameRequests"]
    return made


def check(maker: Maker, jobs: dict, results: dict, seeds: int, result: Result) -> None:
    """Makes calls with codecs in which nobody asked for a key frame; names those that come to something else."""
    chosen = {key: each | {"usesCodecs": True} for key, each in jobs.items() if key[1] <= seeds and not asks(results[key])}
    different = []
    for key, full in maker.make(chosen).items():
        for mine, other in zip(results[key]["layers"], full["layers"]):
            # Only counted in the one or the other.
            mine, other = (dict(layer) | {"nacks": 0, "keyFrameRequests": 0} for layer in (mine, other))
            near = math.isclose(mine.pop("squaredError"), other.pop("squaredError"), rel_tol=1e-12)
            if mine != other or not near:
                different.append(f"{key[0].name}, seed {key[1]}")
    result.note(f"{len(chosen)} calls made with codecs too: {len(different)} of them differ.")
    if different:
        result.failures.append("without and with codecs not the same: " + ", ".join(different))


def describe(result: Result, cells: list[Cell]) -> None:
    head = ["network", "layer", "freezes a minute, > 500 ms", "median ms", "95 %, bar ms", "shown", "PSNR-Y dB", "gaps over, excused"]
    table = Table(head, [])
    more = Table(
        ["network and layer", "freezes", "seeds over", "J", "RTT", "longest gap, bar ms", "lost", "retransmitted", "NACKs", "key frames",
         "settled s", "there /s", "kbit/s", "back /s", "kbit/s back"], [])
    for cell in cells:
        gaps = ", ".join(str(len(cell.gaps_over(is_excused))) for is_excused in (False, True)) if cell.network.loses else ""
        freezes = count(cell.sum("freezes") / cell.minutes, ".2f", unit=f", {cell.sum('longGaps') / cell.minutes:.2f}")
        delay = count(cell.high_delay, ".0f", unit=f", {cell.delay_bar:.0f}")
        row = [freezes, count(cell.median, ".0f"), delay, count(100 * cell.shown, ".1f", unit="%"), count(cell.psnr(), ".2f"), gaps]
        table.rows.append([cell.network.name, TITLES[cell.layer], *row])
        longest = max(each["longestGap"] for each in cell.results)
        # Datagrams a second and kbit/s of both layers together, there and back.
        ways = [
            count(cell.mean(lambda call: call[name][way]) / seconds, ".1f")
            for way in (0, 1) for name, seconds in (("sent", cell.seconds), ("bytes", 125 * cell.seconds))
        ]
        more.rows.append([
            f"{cell.network.name}, {TITLES[cell.layer]}", count(cell.sum("freezes")), count(cell.seeds_over()), count(cell.jitter, ".1f"),
            count(cell.round_trip_time, ".1f"), count(longest, ".0f", 10, f", {cell.gap_bar:.0f}"),
            *(count(cell.sum(name)) for name in ("packetsLost", "packetsResent", "nacks", "keyFrameRequests")),
            count(max(cell.settled), ".1f") if cell.settled else "", *ways,
        ])
    result.blocks += [table, more]


JOB = Job(
    "network", "How a call holds out on bad networks",
    "Both layers of a call, 640x480 at 30 frames a second and 400 kbit/s and 160x120 at 5 and 45 kbit/s, go over each network of "
    "bench/networks.py, which has its terms and bars, in virtual time, NACK and key-frame requests back over the same network. All seeds of a network "
    "are judged together. The clip (Y4M of 640x480, 30 frames a second) is encoded once, and calls are simulated without codecs; that is "
    "exact as long as nobody asks for a key frame. Calls in which somebody does are made again with encoders and decoders. Results are "
    "kept in Benchmarks/.build/network, by what they were made with, so that an interrupted run goes on where it was. --quick makes 5 "
    "seeds without codecs; --two-way has the same layers come back meanwhile, in the same two sessions, also without codecs.",
    run,
    {"seeds": None, "duration": 120, "row": "", "quick": False, "check": None, "two-way": False, "workers": 2},
)
