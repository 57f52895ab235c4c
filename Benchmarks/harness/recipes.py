"""How three programs encode a clip in real time: Rill with its defaults, and two others after their own instructions.

Each gets one thread, no lag, and no key frame but the first. What they do otherwise is theirs:

- FFmpeg: "Live encoding with VP9 using FFmpeg" (https://developers.google.com/media/vp9/live-encoding), with the
  constant bitrate of FFmpeg's own libvpx page (`minrate`, `maxrate` and `b` alike) and a buffer of a second. VP8 takes
  the same without the options that are VP9's alone. Its speed is -4 there, not 6: above zero libvpx follows the wall
  clock, on an idle machine down to 4 and never below, and below zero it is fixed. So this is the best picture that the
  recipe gives.
- GStreamer: what its own webrtcsink sets on vp8enc and vp9enc (gst-plugins-rs, net/webrtc/src/webrtcsink/imp.rs). It
  reads bare samples: y4mdec of 1.22 gives up on a clip of 1280x720.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from .layers import Layer, encode_command, run

KEY_DISTANCE = 3000


@dataclass(frozen=True)
class Source:
    """What is to be encoded, twice: as Y4M, and as bare I420 samples."""

    clip: Path
    samples: Path


@dataclass(frozen=True)
class Recipe:
    """One program's way: the command that encodes a source, and the kind of file that it writes."""

    name: str
    command: Callable[[Source, Layer, str, int, Path], list[str]]
    suffix: str = ".ivf"

    def encode(self, source: Source, layer: Layer, codec: str, bitrate: int, folder: Path) -> Path:
        """Encodes at so many kbit/s and gives the IVF file."""
        output = folder / f"coded{self.suffix}"
        run(self.command(source, layer, codec, bitrate, output))
        if self.suffix == ".ivf":
            return output
        ivf = folder / "copied.ivf"
        run(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", str(output), "-c", "copy", "-f", "ivf", str(ivf)])
        return ivf


def rill(source: Source, layer: Layer, codec: str, bitrate: int, output: Path) -> list[str]:
    return encode_command(source.clip, layer, codec, bitrate, output)


def ffmpeg(source: Source, layer: Layer, codec: str, bitrate: int, output: Path) -> list[str]:
    rate = f"{bitrate}k"
    command = ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", str(source.clip)]
    command += ["-c:v", "libvpx-vp9" if codec == "vp9" else "libvpx"]
    command += ["-quality", "realtime", "-speed", "6" if codec == "vp9" else "-4", "-threads", "1"]
    command += ["-static-thresh", "0", "-max-intra-rate", "300", "-lag-in-frames", "0", "-qmin", "4", "-qmax", "48"]
    command += ["-error-resilient", "1", "-g", str(KEY_DISTANCE)]
    command += ["-b:v", rate, "-minrate", rate, "-maxrate", rate, "-bufsize", rate]
    if codec == "vp9":
        command += ["-row-mt", "1", "-tile-columns", "4", "-frame-parallel", "1"]
    return command + ["-f", "ivf", str(output)]


def gstreamer(source: Source, layer: Layer, codec: str, bitrate: int, output: Path) -> list[str]:
    command = ["gst-launch-1.0", "--quiet", "filesrc", f"location={source.samples}", "!", "rawvideoparse"]
    command += ["format=i420", f"width={layer.width}", f"height={layer.height}", f"framerate={layer.rate}/1"]
    command += ["!", f"{codec}enc", "deadline=1", f"target-bitrate={1000 * bitrate}", "cpu-used=-16"]
    command += [f"keyframe-max-dist={KEY_DISTANCE}", "keyframe-mode=disabled", "end-usage=cbr"]
    command += ["buffer-initial-size=100", "buffer-optimal-size=120", "buffer-size=150"]
    command += ["max-intra-bitrate=250", "error-resilient=default", "lag-in-frames=0", "threads=1"]
    return command + ["!", "webmmux", "!", "filesink", f"location={output}"]


RECIPES = [Recipe("Rill", rill), Recipe("FFmpeg", ffmpeg), Recipe("GStreamer", gstreamer, ".webm")]
