"""What still blocks cost and show: clips, altered in many ways, with and without them."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ..counting import instructions
from ..figures import count
from ..job import Context, Job, WrongUse
from ..process import Command, build, command, progress, run
from ..report import Result, Table, target

# What a static camera shows; the targets for the others are looser.
STATIC = ["original", "noise1", "noise2.5"]
HEAD = [
    "", "instructions", "most", "PSNR-Y dB", "least", "PSNR-UV dB", "least", "SSIM", "least", "worst frame dB", "worst block dB",
    "left out",
]


@dataclass
class Finding:
    """One altered clip at one bitrate: still blocks less the usual recipe, at equal actual rate."""

    clip: str
    alteration: str
    rate: int
    figures: dict[str, float]
    # Instructions, relative to the usual recipe; None if they were not counted.
    ratio: float | None

    @property
    def is_static(self) -> bool:
        return self.alteration in STATIC


def run_still(context: Context, result: Result) -> None:
    clips = [Path(path) for path in (context.clips or "").split(",") if path]
    if not clips:
        raise WrongUse("--clips needs Y4M clips of 30 frames per second, with commas between")
    program = build("bench-still")
    names = context.alterations.split(",") if context.alterations else run(command(program, "names")).answer.split()
    rates = [int(rate) for rate in context.rates.split(",")]
    folder = Path(context.kept or context.folder)
    folder.mkdir(parents=True, exist_ok=True)
    pool = ThreadPoolExecutor(2)
    measured = [
        pool.submit(measure, program, clip, name, rate, folder, counted=not context.no_instructions and (name in STATIC or rate in rates[1:2] or len(rates) < 2))
        for name in names for clip in clips for rate in rates
    ]
    findings = [each.result() for each in measured]
    result.blocks.append(table(findings, names))
    result.note(
        "Still blocks less the usual recipe at equal actual rate, positive is better: the mean of all clips and bitrates, and the worst "
        "clip (instructions, SSIM) or the worst single bitrate of a clip (PSNR). Instructions are relative and of whole runs; those of "
        "alterations that are not of a static camera are of the second bitrate only."
    )
    judge(findings, result)


def measure(program: str, clip: Path, name: str, rate: int, folder: Path, counted: bool) -> Finding:
    progress(f"{clip.stem}, {name}, {rate} kbit/s")
    altered = folder / f"{clip.stem}-{name}.y4m"
    if not altered.exists():
        # Two threads may write it; each moves its own into place.
        draft = folder / f"{altered.stem}-{rate}-draft.y4m"
        run(command(program, "alter", "--clip", clip, "--as", name, "--output", draft))
        draft.rename(altered)
    words = run(command(program, "compare", "--clip", altered, "--kilobits", rate, "--cache", folder / altered.stem)).answer.split()
    figures = {key: float(value) for key, value in (word.split("=") for word in words)}
    if not counted:
        return Finding(clip.stem, name, rate, figures, None)

    def encoding(still: str) -> Command:
        return command(program, "encode", "--clip", altered, "--kilobits", rate, "--still", still)

    # The usual recipe does not change from run to run.
    usual = folder / f"{altered.stem}-{rate}-instructions"
    if not usual.exists():
        usual.write_text(str(instructions(encoding("off"))))
    return Finding(clip.stem, name, rate, figures, instructions(encoding("on")) / int(usual.read_text()))


def mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def clip_means(findings: list[Finding], key: str) -> list[float]:
    """The mean over the bitrates of each altered clip; of those where it was measured."""
    values: dict[tuple[str, str], list[float]] = {}
    for each in findings:
        value = each.ratio if key == "ratio" else each.figures[key]
        if value is not None:
            values.setdefault((each.clip, each.alteration), []).append(value)
    return [sum(all_of_one) / len(all_of_one) for all_of_one in values.values()]


def table(findings: list[Finding], names: list[str]) -> Table:
    rows = []
    for name in names:
        found = [each for each in findings if each.alteration == name]
        ratios = clip_means(found, "ratio")
        psnr = [each for key in ("y", "uv") for each in (mean(clip_means(found, key)), min(one.figures[key] for one in found))]
        ssim = clip_means(found, "ssim")
        rows.append([
            name, count(mean(ratios), ".3f"), count(max(ratios, default=None), ".3f"), *(count(each, "+.3f") for each in psnr),
            count(mean(ssim), "+.4f"), count(min(ssim), "+.4f"),
            *(count(min(one.figures[key] for one in found), "+.2f") for key in ("worst-frame", "worst-block")),
            count(mean(clip_means(found, "skipped")), ".2f"),
        ])
    return Table(HEAD, rows)


def judge(findings: list[Finding], result: Result) -> None:
    static, others = ([each for each in findings if each.is_static is wanted] for wanted in (True, False))

    def limit(name: str, values: list[float], most: float, unit: str = "", sign: int = 1) -> None:
        if values:
            result.targets.append(target(name, max(sign * each for each in values), most, unit))

    ratios = clip_means(static, "ratio")
    if ratios:
        result.targets.append(target("static camera: instructions in the mean", mean(ratios), 0.80, "×"))
    limit("static camera: instructions of a clip", ratios, 0.87, "×")
    limit("static camera: loss of PSNR-Y of a clip", clip_means(static, "y"), 0.05, "dB", -1)
    limit("static camera: loss of PSNR-UV of a clip", clip_means(static, "uv"), 0.10, "dB", -1)
    limit("static camera: loss of SSIM of a clip", clip_means(static, "ssim"), 0.0005, "", -1)
    limit("static camera: loss of PSNR-Y at a bitrate", [each.figures["y"] for each in static], 0.10, "dB", -1)
    limit("static camera: loss of PSNR-UV at a bitrate", [each.figures["uv"] for each in static], 0.10, "dB", -1)
    limit("all else: instructions of a clip", clip_means(others, "ratio"), 1.01, "×")
    limit("all else: loss of PSNR-Y of a clip", clip_means(others, "y"), 0.05, "dB", -1)
    limit("the worst block over 30 frames: loss", [each.figures["worst-block"] for each in findings], 3, "dB", -1)


JOB = Job(
    "still", "Still blocks",
    "Alters clips as sensors, lights and hands do, and encodes them as VP8's high layer with and without still blocks: the difference of "
    "the pictures at equal actual rates, and the ratio of the instructions. --kept names a folder for what does not change from run to run.",
    run_still, {"clips": None, "alterations": None, "rates": "300,600,1200", "no-instructions": False, "kept": None}, takes_clip=False,
)
