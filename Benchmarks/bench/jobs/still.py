"""What still blocks cost and show: clips, altered in many ways, with and without them."""

from pathlib import Path

from ..counting import instructions
from ..figures import count
from ..job import Context, Job, WrongUse
from ..process import build, command, progress, run
from ..report import Result, Table, target

# What a static camera shows; the targets for the others are looser.
STATIC = ["original", "noise1", "noise2.5"]
FIGURES = ["y", "uv", "ssim", "worst-frame", "worst-block", "skipped"]


def run_still(context: Context, result: Result) -> None:
    clips = [Path(path) for path in (context.clips or "").split(",") if path]
    if not clips:
        raise WrongUse("--clips needs Y4M clips of 30 frames per second, with commas between")
    program = build("bench-still")
    names = context.alterations.split(",") if context.alterations else run(command(program, "names")).answer.split()
    table = Table(["", "kbit/s", "PSNR-Y dB", "PSNR-UV dB", "SSIM", "worst frame dB", "worst block dB", "left out", "instructions"], [])
    ratios, means = {}, {}
    for name in names:
        for clip in clips:
            altered = context.folder / "altered.y4m"
            run(command(program, "alter", "--clip", clip, "--as", name, "--output", altered))
            rows = []
            for rate in map(int, context.rates.split(",")):
                progress(f"{clip.stem}, {name}, {rate} kbit/s")
                words = run(command(program, "compare", "--clip", altered, "--kilobits", rate)).answer.split()
                told = {key: float(value) for key, value in (word.split("=") for word in words)}
                ratio = None
                if not context.no_instructions:
                    on, off = (
                        instructions(command(program, "encode", "--clip", altered, "--kilobits", rate, "--still", each))
                        for each in ("on", "off")
                    )
                    ratio = on / off
                rows.append(told | {"ratio": ratio})
                table.rows.append([
                    f"{clip.stem}, {name}", count(rate), *(count(told[each], ".4f" if each == "ssim" else ".2f") for each in FIGURES),
                    count(ratio, ".3f"),
                ])
            means[clip.stem, name] = {key: sum(row[key] for row in rows) / len(rows) for key in ("y", "uv", "ssim")}
            if not context.no_instructions:
                ratios[clip.stem, name] = sum(row["ratio"] for row in rows) / len(rows)
    result.blocks.append(table)
    result.note("Differences at equal actual rate, still blocks less the usual recipe; positive is better. Instructions are of whole runs.")
    static = {key: ratio for key, ratio in ratios.items() if key[1] in STATIC}
    if static:
        result.targets.append(target("static camera, instructions in the mean", sum(static.values()) / len(static), 0.80, "×"))
        result.targets.append(target("static camera, instructions at most", max(static.values()), 0.87, "×"))
    if len(ratios) > len(static):
        result.targets.append(target("all else, instructions at most", max(r for key, r in ratios.items() if key not in static), 1.01, "×"))
    result.targets.append(target("loss of PSNR-Y in the mean of a clip", -min(mean["y"] for mean in means.values()), 0.05, "dB"))
    static_means = [mean for (_, name), mean in means.items() if name in STATIC]
    if static_means:
        result.targets.append(target("static camera, loss of PSNR-UV", -min(mean["uv"] for mean in static_means), 0.10, "dB"))
        result.targets.append(target("static camera, loss of SSIM", -min(mean["ssim"] for mean in static_means), 0.0005))


JOB = Job(
    "still", "Still blocks",
    "Alters clips as sensors, lights and hands do, and encodes them as VP8's high layer with and without still blocks: the difference of "
    "the pictures at equal actual rates, and the ratio of the instructions.",
    run_still, {"clips": None, "alterations": None, "rates": "300,600,1200", "no-instructions": False}, takes_clip=False,
)
