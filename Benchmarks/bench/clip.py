"""The clip to measure with, in the formats that the programs read."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .process import CommandFailed, command, installed, progress, rill, run

# All clips are played at this rate.
RATE = 30


@dataclass(frozen=True)
class Clip:
    """A Y4M file of I420 pictures, 30 per second."""

    name: str
    path: Path
    width: int
    height: int
    frame_count: int

    @property
    def size(self) -> str:
        return f"{self.width}x{self.height}"

    @property
    def pixels(self) -> int:
        return self.width * self.height

    def bitrate(self, codec: str = "vp8") -> int:
        """The bitrate of `Bitrate.suggested`, in kbit/s."""
        return round(800 * (0.75 if codec == "vp9" else 1) * (self.pixels / (640 * 480)) ** 0.5722)

    @property
    def speed(self) -> int:
        """The speed setting (cpu-used) of libvpx's VP8 for pictures of that size, the same as in Rill's encoder."""
        return -6 if self.pixels >= 352 * 288 else -4

    def first(self, frame_count: int, folder: Path) -> "Clip":
        """Its first pictures."""
        return _cut(self, min(frame_count, self.frame_count), folder)

    def samples(self, folder: Path) -> Path:
        """The bare samples: GStreamer 1.22's y4mdec fails on 1280x720."""
        return _samples(self, folder)


def opened(path: Path, folder: Path) -> Clip:
    """Opens a clip of any format. One that is not Y4M at 30 frames per second is converted, picture by picture."""
    name = path.name
    if path.suffix != ".y4m":
        progress(f"reading {name}")
        copy = folder / (name + ".y4m")
        if not copy.exists():
            run(command(rill(), "transcode", path, copy))
        path = copy
    header, (width, height), start, frame = _layout(path)
    clip = Clip(name, path, width, height, (path.stat().st_size - start) // frame)
    if width % 2 or height % 2 or width < 160 or height < 120:
        raise CommandFailed(f"{name} is {clip.size}: its size must be even and at least 160x120; `rill transcode --size` changes it")
    if clip.frame_count < 6:
        raise CommandFailed(f"{name} has {clip.frame_count} pictures: at least 6 are needed")
    return clip if b" F30:1" in header else _cut(clip, clip.frame_count, folder)


@cache
def portrait(size: str, seconds: int, folder: Path) -> Clip:
    """The drawn portrait."""
    progress("drawing the portrait")
    path = folder / f"portrait-{size}-{seconds}.y4m"
    run(command(rill(), "generate", "portrait", path, "--size", size, "--duration", f"{seconds}s"))
    clip = opened(path, folder)
    return Clip("the drawn portrait", clip.path, clip.width, clip.height, clip.frame_count)


def scaled(clip: Clip, size: str, frame_count: int, folder: Path, *filters: str) -> Clip:
    """Its first pictures, scaled with FFmpeg's filters."""
    if not installed("ffmpeg"):
        raise CommandFailed("FFmpeg is not installed (Debian: ffmpeg)")
    progress(f"scaling to {size}")
    output = folder / f"{clip.path.stem}-{size}-{frame_count}.y4m"
    words = ("ffmpeg", "-nostdin", "-v", "error", "-y", "-i", clip.path, "-frames:v", frame_count)
    run(command(*words, "-vf", ",".join((f"scale={size}:flags=lanczos", *filters)), "-pix_fmt", "yuv420p", output))
    return opened(output, folder)


def _layout(path: Path) -> tuple[bytes, tuple[int, int], int, int]:
    """The header line, width and height, the offset of the first frame, and the bytes of a frame with its header line."""
    with path.open("rb") as file:
        header = file.readline(512)
        start, line = len(header), len(file.readline(512))
    sizes = [re.search(pattern, header) for pattern in (rb" W(\d+)", rb" H(\d+)")]
    colours = re.search(rb" C(\S+)", header)
    if not header.startswith(b"YUV4MPEG2") or None in sizes or (colours and not re.match(rb"420(?!p\d)", colours[1])):
        raise CommandFailed(f"{path} is not Y4M of I420")
    width, height = (int(size[1]) for size in sizes)
    return header, (width, height), start, line + width * height + 2 * ((width + 1) // 2) * ((height + 1) // 2)


@cache
def _cut(clip: Clip, frame_count: int, folder: Path) -> Clip:
    header, _, start, frame = _layout(clip.path)
    path = folder / f"{clip.path.stem}-{frame_count}f.y4m"
    with clip.path.open("rb") as source, path.open("wb") as target:
        target.write(re.sub(rb" F\d+:\d+", b"", header.rstrip(b"\n")) + b" F30:1\n")
        source.seek(start)
        for _ in range(frame_count):
            target.write(source.read(frame))
    return Clip(clip.name, path, clip.width, clip.height, frame_count)


@cache
def _samples(clip: Clip, folder: Path) -> Path:
    path = folder / (clip.path.stem + ".yuv")
    *_, start, frame = _layout(clip.path)
    with clip.path.open("rb") as source, path.open("wb") as target:
        source.seek(start)
        for _ in range(clip.frame_count):
            line = source.readline(512)
            target.write(source.read(frame - len(line)))
    return path
