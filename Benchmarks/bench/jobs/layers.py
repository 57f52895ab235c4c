"""How well each layer keeps to its bitrate, and the effect of the denoiser."""

from dataclasses import dataclass
from pathlib import Path

from ..clip import Clip
from ..figures import count
from ..job import Context, Job
from ..layers import LOW, Frame, Layer, encode, encode_command, high, instructions_per_frame, judge, kilobits, psnr, ssim
from ..process import command, progress, run
from ..recipes import FFMPEG
from ..report import Result, Table, Target
from .send import LOW_KILOBITS

# Our minimum quantizer, 2 of libvpx's scale from 0 to 63, as an index of each codec.
LEAST_QUANTIZER = {"vp8": 2, "vp9": 8}
# Strengths of FFmpeg's noise: the range of uniform noise in code values.
NOISES = [0, 10, 20, 40]


@dataclass
class Row:
    """One layer with one encoder configuration."""

    codec: str
    layer: Layer
    target: int
    has_key_frames: bool
    frames: list[Frame]

    @property
    def name(self) -> str:
        return f"{self.codec.upper()} {self.layer}" + (", a key frame every second" if self.has_key_frames else "")

    @property
    def coded(self) -> list[Frame]:
        return [frame for frame in self.frames if frame.byte_count > 0]

    def windows(self, seconds: int) -> list[list[Frame]]:
        length = seconds * self.layer.rate
        return [self.frames[start : start + length] for start in range(len(self.frames) - length + 1)]

    def ratios(self, seconds: int) -> list[float]:
        """The bits of each window relative to the target bitrate."""
        return [kilobits(window, self.layer.rate) / self.target for window in self.windows(seconds)]

    def least_ratio_to_blame(self) -> float:
        """The minimum of the 10 s windows in which a finer quantizer could have spent more bits; 1 if there are none."""
        least = LEAST_QUANTIZER[self.codec]

        def could_be_finer(frame: Frame) -> bool:
            return frame.quantizer is not None and not frame.is_key and frame.quantizer > least

        pairs = zip(self.windows(10), self.ratios(10))
        return min((ratio for window, ratio in pairs if any(map(could_be_finer, window))), default=1)

    def targets(self) -> list[Target]:
        if self.layer is not LOW:
            return []
        share, tens, second = 0.15 if self.has_key_frames else 0.1, self.ratios(10), max(self.ratios(1))
        kept = 1 - share <= self.least_ratio_to_blame() and max(tens) <= 1 + share
        return [
            Target(f"{self.name}: every 10 s within {share:.0%} of {self.target} kbit/s", f"{min(tens) - 1:+.1%} to {max(tens) - 1:+.1%}", kept),
            Target(f"{self.name}: no second over 2.00 times {self.target} kbit/s", f"{second:.2f} times", second <= 2),
        ]


def rate_control(context: Context, result: Result) -> None:
    clip, rows = context.clip(), []
    for codec in [context.codec] if context.codec else ["vp8", "vp9"]:
        for layer, target, has_keys in ((high(clip), clip.bitrate(codec), False), (LOW, LOW_KILOBITS, False), (LOW, LOW_KILOBITS, True)):
            rows.append(trial(context, clip, Row(codec, layer, target, has_keys, [])))
    head = ["", "kbit/s", "actual", "10 s min", "10 s max", "1 s max", "dropped", "keys", "mean QP", "PSNR-Y dB", "SSIM", "first key bytes", "its PSNR-Y"]
    table = Table(head, [])
    for row in rows:
        tens, coded = row.ratios(10), row.coded
        table.rows.append([
            row.name, count(row.target), count(kilobits(row.frames, row.layer.rate), ".1f"), count(100 * min(tens) - 100, "+.1f", unit="%"),
            count(100 * max(tens) - 100, "+.1f", unit="%"), count(max(row.ratios(1)), ".2f", unit=" x"), count(len(row.frames) - len(coded)),
            count(sum(frame.is_key for frame in coded)), count(sum(frame.quantizer for frame in coded) / len(coded), ".1f"),
            count(psnr(row.frames), ".2f"), count(ssim(row.frames), ".4f"), count(row.frames[0].byte_count), count(psnr(row.frames[:1]), ".2f"),
        ])
        result.targets += row.targets()
    result.blocks.append(table)
    result.note("QP is the codec's index, 0 to 127 for VP8 and 0 to 255 for VP9.")


def trial(context: Context, clip: Clip, row: Row) -> Row:
    progress(row.name)
    length, coded = ("--seconds", context.seconds), context.folder / "coded.ivf"
    more = ["--key-every", row.layer.rate] if row.has_key_frames else []
    if row.layer is LOW and context.key_frame_percentage is not None:
        more += ["--key-percentage", context.key_frame_percentage]
    coded_frames = encode(clip.path, row.layer, row.codec, row.target, coded, *length, *more)
    row.frames = judge(clip.path, row.layer, coded, *length)
    for frame in row.frames:
        if frame.number in coded_frames:
            frame.is_key, frame.quantizer = coded_frames[frame.number]
    return row


def denoiser(context: Context, result: Result) -> None:
    clip = context.clip()
    table = Table(["", "kbit/s", "mean QP", "PSNR-Y dB", "SSIM", "M instructions/frame"], [])
    for codec in [context.codec] if context.codec else ["vp8", "vp9"]:
        for noise in NOISES:
            source = noisy(clip, noise, context.folder)
            for options in ([], ["--denoise", "on"]):
                name = f"{codec.upper()}, noise {noise}, denoiser {'on' if options else 'off'}"
                progress(name)
                table.rows.append([name, *denoised(context, clip, source, codec, options)])
    result.blocks.append(table)


def noisy(clip: Clip, noise: int, folder: Path) -> Path:
    """The clip with noise as of a camera in low light added to its luma, with a fixed seed; only one strength is kept on disk."""
    if noise == 0:
        return clip.path
    path = folder / "noisy.y4m"
    noise_filter = f"noise=c0_seed=7:c0_strength={noise}:c0_flags=t+u"
    run(command(*FFMPEG, "-y", "-i", clip.path, "-vf", noise_filter, "-pix_fmt", "yuv420p", path))
    return path


def denoised(context: Context, clip: Clip, source: Path, codec: str, options: list[str]) -> list:
    layer, target, output = high(clip), clip.bitrate(codec), context.folder / "coded.ivf"
    coded = encode(source, layer, codec, target, output, *options)
    # Compared with the clip without added noise, which is what a viewer wants to see.
    frames = judge(clip.path, layer, output)
    cost = None
    if not context.no_instructions:
        cost = instructions_per_frame(
            lambda seconds: encode_command(source, layer, codec, target, output, "--seconds", seconds, *options), (1, 3), layer.rate)
    quantizer = sum(quantizer for _, quantizer in coded.values()) / len(coded)
    return [
        count(kilobits(frames, layer.rate), ".1f"), count(quantizer, ".1f"), count(psnr(frames), ".2f"), count(ssim(frames), ".4f"),
        count(cost, ".2f", 1e6),
    ]


JOBS = [
    Job(
        "rate-control", "How well the layers keep to their bitrates",
        "The clip is played repeatedly for a minute. Each layer is encoded separately: the high layer at the clip's size and suggested "
        "bitrate, the low layer (160x120, 5 frames per second, 45 kbit/s), and the low layer again with a key frame request every second. "
        "Windows start at every frame. vpxdec decodes; a dropped frame counts with the picture before it. The targets are those of the low "
        "layer; a window may fall below the first only if all its delta frames used the minimum quantizer.",
        rate_control, {"codec": None, "seconds": 60, "key-frame-percentage": None},
    ),
    Job(
        "denoiser", "Gain and cost of the denoiser",
        "The clip is encoded at its full size and suggested bitrate, unchanged and with noise as of a camera in low light, each with the "
        "denoiser off and on. PSNR and SSIM are of luma, compared with the clip without added noise. Instructions are those of the whole "
        "program per frame, including reading the clip.", denoiser, {"codec": None, "no-instructions": False},
    ),
]
