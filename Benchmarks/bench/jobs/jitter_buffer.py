"""The receiver's cost per packet, compared with GStreamer."""

from pathlib import Path

from .. import gstreamer
from ..counting import Program, steady_allocations, steady_instructions
from ..figures import count, timed
from ..job import Context, Job
from ..process import Command, build, command, progress, run
from ..report import Result, Table, Target, target
from ..workloads import iterate, material

OURS = {"in-order": "Rill, in order", "disturbed": "Rill, late and lost", "copy": "only two copies", "renumber": "only the loop"}
# Packets lost and late, in millionths.
THEIRS = {"GStreamer, in order": (0, 0), "GStreamer, late and lost": (20_000, 50_000)}
TARGETS = {"Rill, in order": 150, "Rill, late and lost": 300}
COUNTED, PACKETS = 40_000, 100_000
HOURS, NETWORK = 2, "delay=50ms,jitter=10ms,loss=2%"
# Seconds without and with congestion control.
LONG_TARGETS = {"off": 10, "on": 15}


def execute(context: Context, result: Result) -> None:
    clip = context.clip(size="1280x720").path if context.arguments.clip else None
    calls, receiver = build("bench-calls"), gstreamer.receiver()
    with material(clip) as (folder, workloads):
        known = {each.name.removeprefix("receive/"): each for each in workloads if each.suite == "receive"}
        programs: dict[str, Program] = {title: known[name].command for name, title in OURS.items()}
        programs |= {title: theirs(receiver, folder / "hd.pcap", *shares) for title, shares in THEIRS.items()}
        times: dict[str, list[float]] = {title: [] for title in programs}
        for index in range(10):  # one iteration of GStreamer for ten of ours
            for name, title in OURS.items():
                progress(f"round {index + 1} of 10: {title}")
                options = ("--count", PACKETS, "--iterations", -(-context.iterations // 10))
                times[title] += [iteration.nanoseconds for iteration in iterate(known[name], folder, *options)]
            for title in THEIRS:
                times[title].append(float(run(programs[title](PACKETS)).output.split()[1]))
        table = Table(["a packet", "ns, median (min–max)", "instructions", "allocations"], [])
        for title, program in programs.items():
            progress(f"counting: {title}")
            allocations = steady_allocations(program, COUNTED)
            instructions = count(steady_instructions(program, COUNTED))
            table.rows.append([title, timed(times[title], ".1f"), instructions, count(allocations, ".4f")])
            if title in TARGETS:
                result.targets.append(target(f"{title}, ns per packet", min(times[title]), TARGETS[title], "ns"))
                # A buffer may still grow once or twice in the counted part, but packets do not allocate.
                result.targets.append(Target(f"{title}: no allocation per packet", f"{allocations:.4f}", allocations < 0.001))
        progress(f"simulating {HOURS} hours")
        long = ("long", "--folder", folder, "--hours", HOURS, "--network", NETWORK, "--congestion")
        simulated = {state: run(command(calls, *long, state)).output.split() for state in LONG_TARGETS}
    result.blocks.append(table)
    for state, words in simulated.items():
        datagrams, frames, shown, cost = *map(int, words[:3]), float(words[3])
        what = f"{HOURS} h over {NETWORK}, congestion control {state}"
        result.note(f"{what}: {cost:.1f} s for {datagrams} datagrams, {shown} of {frames} frames shown.")
        result.targets.append(target(f"{HOURS} hours of a call simulated, congestion control {state}", cost, LONG_TARGETS[state], "s"))


def theirs(receiver: str, trace: Path, loss: int, delay: int) -> Program:
    """Runs GStreamer's jitter buffer on `count` packets."""
    # The SSRC of the capture's first packet: at byte 8, after the headers of file, record, IPv4 and UDP.
    source = int.from_bytes(trace.read_bytes()[24 + 16 + 28 + 8 :][:4], "big")

    def program(packets: int) -> Command:
        return command(receiver, "cost", trace, source, 96, packets, loss, delay)

    return program


JOB = Job(
    "jitter-buffer", "The receiver's cost per packet",
    "The packets of ten seconds of 1280x720 at 30 frames per second and 1.5 Mbit/s are played repeatedly from memory. Rill's jitter buffer "
    "inserts, assembles, times and releases them as frames; GStreamer uses rtpjitterbuffer and rtpvp8depay. Late and lost means 5 % of the "
    "packets 10 ms late, so that others overtake them, and 2 % lost; with Rill these are NACKed and arrive 100 ms later, with GStreamer they "
    "stay lost. Nanoseconds are wall time for Rill's loop, which has one thread, and CPU time of all threads for GStreamer. Also measures "
    "how long it takes to simulate two hours of that call without codecs, without and with congestion control.",
    execute, {"iterations": 101},
)
