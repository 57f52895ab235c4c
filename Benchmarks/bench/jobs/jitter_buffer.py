"""What a packet costs the receiver, beside GStreamer's."""

from pathlib import Path

from .. import gstreamer
from ..counting import Program, steady_allocations, steady_instructions
from ..figures import count, timed
from ..job import Context, Job
from ..process import Command, build, command, progress, run
from ..report import Bar, Result, Table, bar
from ..workloads import iterate, material

OURS = {"in-order": "Rill, in order", "disturbed": "Rill, late and lost", "copy": "two copies alone", "renumber": "the loop alone"}
# Millionths lost, and late.
THEIRS = {"GStreamer, in order": (0, 0), "GStreamer, late and lost": (20_000, 50_000)}
BARS = {"Rill, in order": 150, "Rill, late and lost": 300}
COUNTED, PACKETS = 40_000, 100_000
HOURS, NETWORK, LONG_BAR = 2, "delay=50ms,jitter=10ms,loss=2%", 10


def execute(context: Context, result: Result) -> None:
    clip = context.clip(size="1280x720").path if context.arguments.clip else None
    calls, receiver = build("bench-calls"), gstreamer.receiver()
    with material(clip) as (folder, workloads):
        known = {each.name.removeprefix("receive/"): each for each in workloads if each.suite == "receive"}
        programs: dict[str, Program] = {title: known[name].command for name, title in OURS.items()}
        programs |= {title: theirs(receiver, folder / "hd.pcap", *shares) for title, shares in THEIRS.items()}
        times: dict[str, list[float]] = {title: [] for title in programs}
        for index in range(10):  # an iteration of GStreamer's for ten of ours
            for name, title in OURS.items():
                progress(f"round {index + 1} of 10: {title}")
                options = ("--count", PACKETS, "--iterations", -(-context.iterations // 10))
                times[title] += [iteration.nanoseconds for iteration in iterate(known[name], folder, *options)]
            for title in THEIRS:
                times[title].append(float(run(programs[title](PACKETS)).output.split()[1]))
        table = Table(["a packet", "ns, median (least–most)", "instructions", "allocations"], [])
        for title, program in programs.items():
            progress(f"counting: {title}")
            allocations = steady_allocations(program, COUNTED)
            instructions = count(steady_instructions(program, COUNTED))
            table.rows.append([title, timed(times[title], ".1f"), instructions, count(allocations, ".4f")])
            if title in BARS:
                result.bars.append(bar(f"{title}, ns a packet", min(times[title]), BARS[title], "ns"))
                # A buffer may still grow once or twice in the counted part; a packet allocates nothing.
                result.bars.append(Bar(f"{title}: no allocation a packet", f"{allocations:.4f}", allocations < 0.001))
        progress(f"simulating {HOURS} hours")
        words = run(command(calls, "long", "--folder", folder, "--hours", HOURS, "--network", NETWORK)).output.split()
    result.blocks.append(table)
    datagrams, frames, shown, cost = *map(int, words[:3]), float(words[3])
    result.note(f"{HOURS} h over {NETWORK}: {cost:.1f} s for {datagrams} datagrams, {shown} of {frames} frames shown.")
    result.bars.append(bar(f"{HOURS} hours of a call simulated", cost, LONG_BAR, "s"))


def theirs(receiver: str, trace: Path, loss: int, delay: int) -> Program:
    """GStreamer's jitter buffer on so many packets."""
    # The SSRC of a capture's first packet: behind the heads of file, record, IPv4 and UDP, at byte 8.
    source = int.from_bytes(trace.read_bytes()[24 + 16 + 28 + 8 :][:4], "big")

    def program(packets: int) -> Command:
        return command(receiver, "cost", trace, source, 96, packets, loss, delay)

    return program


JOB = Job(
    "jitter-buffer", "What a packet costs the receiver",
    "The packets of ten seconds of 1280x720 at 30 frames a second and 1.5 Mbit/s, played over and over from memory. Ours go through the "
    "jitter buffer: inserted, assembled, timed, handed out as frames. GStreamer's go through rtpjitterbuffer and rtpvp8depay. Late and lost "
    "is 5 % of the packets 10 ms late, so that others overtake them, and 2 % lost; ours are NACKed and come 100 ms later, GStreamer's stay "
    "lost. Nanoseconds are of our loop, which is one thread, by the clock; of GStreamer's by the processor time of all its threads. Beside "
    "them stands how long it takes to simulate two hours of that call without codecs.",
    execute, {"iterations": 101},
)
