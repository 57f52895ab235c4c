"""Single stages of the pipeline: their throughput, and the cost of work on a picture or a packet."""

from collections.abc import Sequence

from ..counting import steady_allocations, steady_instructions
from ..figures import Figure, count, timed
from ..job import Context, Job, WrongUse
from ..process import progress
from ..report import Result, Table
from ..workloads import Workload, material, rotation

UNITS = {"clipFrame": "frame", "lowFrame": "frame 160x120", "packet": "packet", "compound": "compound", "encodedFrame": "frame of 6 kB"}


def throughput(context: Context, result: Result) -> None:
    """All workloads, by the clock and by the processor's counters."""
    with material(context.arguments.clip) as (folder, workloads):
        chosen = [each for each in workloads if not context.suite or each.suite in context.suite]
        if not chosen:
            raise WrongUse(f"no suite {', '.join(context.suite)}")
        found = rotation(chosen, folder, context.iterations, "--time", 100)
    head = ["stage", "unit", "per second", "Mpx/s", "ns per unit", "cycles", "instructions", "per"]
    table, suite = Table(head, []), None
    for each in chosen:
        if each.suite != suite:
            suite = each.suite
            table.rows.append([suite])
        rates = [1e9 / iteration.nanoseconds for iteration in found[each.name]]
        cycles, instructions = (per_unit([getattr(iteration, name) for iteration in found[each.name]], each) for name in ("cycles", "instructions"))
        megapixels = readable([rate * each.pixels / 1e6 for rate in rates], is_spread=False) if each.pixels else Figure("–")
        nanoseconds = readable([iteration.nanoseconds for iteration in found[each.name]], is_spread=False)
        row = [each.name, UNITS[each.unit], readable(rates), megapixels, nanoseconds, cycles, instructions]
        table.rows.append([*row, "pixel" if each.pixels else UNITS[each.unit]])
    result.blocks.append(table)
    result.note(
        "All run on one thread, except the transcoder, which reads and encodes on different threads. An iteration takes a tenth of a "
        "second or more. Workloads run in rotation; the table shows the median with minimum and maximum. Cycles and instructions are the "
        "processor's counts in user mode, or – if the machine has no counters."
    )


def per_unit(values: Sequence[float | None], workload: Workload) -> Figure:
    if any(value is None for value in values):
        return Figure("–")
    pixels = workload.pixels or 1
    return timed([value / pixels for value in values], ".2f" if workload.pixels else ".0f", spread=False)


def readable(values: list[float], is_spread: bool = True) -> Figure:
    """Formats with three digits and k, M or G: further digits do not repeat."""

    def text(value: float) -> str:
        for size, letter in ((1e9, " G"), (1e6, " M"), (1e4, " k")):
            if value >= size:
                part = value / (1e3 if letter == " k" else size)
                return f"{part:.3g}{letter}" if part < 1000 else f"{part:.0f}{letter}"
        return f"{value:.0f}" if value >= 100 else f"{value:.3g}"

    figure = timed(values)
    ends = f" ({text(min(values))}–{text(max(values))})" if is_spread and len(values) > 1 else ""
    return Figure(text(figure.value) + ends, figure.value, figure.values, repeats=False)


RTP = {
    "parse": "parse a packet", "read": "parse, walk two extensions, VP8 descriptor", "packetize": "packetize, 1200 bytes",
    "packetize-extended": "packetize with two extensions", "memcpy": "memcpy of 1200 bytes",
    "write-rtcp": "write RR, NACK, transport-cc on 100 packets", "read-rtcp": "read them",
}
PICTURES = {
    "same": "compare with the same picture", "changed": "compare with another picture", "memcmp": "memcmp of as many bytes",
    "copy": "copy", "rotate": "rotate by 90°", "mirror": "mirror", "scale-half": "scale to 640x360", "letterbox": "letterbox into 640x480",
}


def closely(suite: str, names: dict[str, str], head: str, scale: float, unit: str, times: int):
    """Details of some workloads: nanoseconds, instructions and allocations."""

    def run(context: Context, result: Result) -> None:
        with material() as (folder, workloads):
            known = {each.name: each for each in workloads}
            chosen = {known[f"{suite}/{name}"]: title for name, title in names.items()}
            found = rotation(list(chosen), folder, context.iterations, "--count", times)
            table = Table([head, f"{unit}, median (min–max)", "instructions", "allocations"], [])
            for each, title in chosen.items():
                progress(f"counting: {each.name}")
                nanoseconds = timed([iteration.nanoseconds for iteration in found[each.name]], ".1f", scale)
                instructions = count(steady_instructions(each.command, each.count))
                table.rows.append([title, nanoseconds, instructions, count(steady_allocations(each.command, each.count), ".3f")])
        result.blocks.append(table)
        result.note(
            "Times are of many iterations in rotation. Callgrind counts instructions, an interposed malloc allocations, both as the "
            "difference between a run of 2N units of work and one of N, so that one-time costs cancel."
        )

    return run


JOBS = [
    Job(
        "throughput", "Throughput of each stage", "Frames, megapixels and packets per second, cycles and instructions "
        "of all workloads (Benchmarks/Workloads).", throughput, {"iterations": 11, "suite": None},
    ),
    Job(
        "rtp", "Cost of a packet on the wire", "Nanoseconds, instructions and allocations of parsing and writing RTP and RTCP, compared with "
        "a memcpy of the same size.", closely("rtp", RTP, "a packet", 1, "ns", 20_000), {"iterations": 301}, takes_clip=False,
    ),
    Job(
        "pictures", "Cost of work on a picture", "Microseconds, instructions and allocations of comparing, rotating, mirroring and scaling "
        "a picture of 1280x720.", closely("image", PICTURES, "a picture of 1280x720", 1000, "us", 200), {"iterations": 21}, takes_clip=False,
    ),
]
