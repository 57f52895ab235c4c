"""Encoder options for the other programs: either for the same work as Rill, or as their own documentation recommends."""

from pathlib import Path

from .clip import Clip

FFMPEG = ("ffmpeg", "-nostdin", "-v", "error")
# Debian's packages of programs that may be missing.
PACKAGES = {
    "ffmpeg": "FFmpeg is not installed (Debian: ffmpeg).",
    "gst-launch-1.0": "GStreamer is not installed (Debian: gstreamer1.0-tools, gstreamer1.0-plugins-base, gstreamer1.0-plugins-good).",
    "vpxenc": "vpxenc is not installed (Debian: vpx-tools).",
}
KEY_DISTANCE = 3000

# The same as Rill: constant bitrate, quantizers 2 to 56, no lookahead, only the first frame a key frame, a buffer with a target
# of 600 ms.


def ffmpeg_vp8(kilobits: int, speed: int, threads: int, is_full: bool = False) -> list[str]:
    """The buffer is 720 ms: FFmpeg's target is five sixths of it, Rill's is 600 of 1000 ms."""
    rate = f"{kilobits * 1000}"
    words = f"-c:v libvpx -deadline realtime -cpu-used {speed} -threads {threads} -b:v {rate} -minrate {rate} -maxrate {rate}"
    words += f" -bufsize {kilobits * 720} -qmin 2 -qmax 56 -undershoot-pct 100 -overshoot-pct 15 -lag-in-frames 0"
    words += f" -g {KEY_DISTANCE} -static-thresh 1 -rc_init_occupancy {kilobits * (1000 if is_full else 500)}"
    return words.split()


def gstreamer_vp8(kilobits: int, speed: int, threads: int, more: str) -> list[str]:
    words = f"vp8enc deadline=1 cpu-used={speed} threads={threads} end-usage=cbr target-bitrate={kilobits * 1000}"
    words += " min-quantizer=2 max-quantizer=56 undershoot=100 overshoot=15 buffer-size=1000 buffer-optimal-size=600"
    return f"{words} keyframe-max-dist={KEY_DISTANCE} lag-in-frames=0 static-threshold=1 {more}".split()


def vpxenc(clip: Clip, kilobits: int, output: Path) -> list[str]:
    words = f"vpxenc --codec=vp8 --ivf --passes=1 --rt --cpu-used={clip.speed} --end-usage=cbr --target-bitrate={kilobits}"
    words += " --min-q=2 --max-q=56 --undershoot-pct=100 --overshoot-pct=15 --buf-sz=1000 --buf-initial-sz=500"
    words += f" --buf-optimal-sz=600 --kf-max-dist={KEY_DISTANCE} --lag-in-frames=0 --static-thresh=1 --token-parts=0"
    return [*f"{words} --threads=1 --fps=30/1 --timebase=1/90000 --quiet -o".split(), str(output), str(clip.path)]


def gstreamer_source(clip: Clip, samples: Path, rate: int = 30) -> list[str]:
    words = f"blocksize={clip.pixels * 3 // 2} ! rawvideoparse format=i420 width={clip.width} height={clip.height}"
    return ["gst-launch-1.0", "--quiet", "filesrc", f"location={samples}", *words.split(), f"framerate={rate}/1", "!"]


# As their documentation recommends, for quality at equal bitrate. Each gets one thread, no lookahead, and only the first frame
# is a key frame.
#
# - FFmpeg: "Live encoding with VP9 using FFmpeg" (https://developers.google.com/media/vp9/live-encoding), with the constant
#   bitrate of FFmpeg's own libvpx page (equal `minrate`, `maxrate` and `b`) and a buffer of a second. VP8 uses the same without
#   the VP9-only options. Its speed is -4, not 6: positive speeds let libvpx follow the wall clock, on an idle machine down to 4
#   and never below; negative speeds are fixed. So this is the best quality that the recipe gives.
# - GStreamer: the settings of its webrtcsink for vp8enc and vp9enc (gst-plugins-rs, net/webrtc/src/webrtcsink/imp.rs).


def ffmpeg_own(source: Path, codec: str, kilobits: int, output: Path) -> list[str]:
    rate = f"{kilobits}k"
    words = f"-c:v {'libvpx-vp9' if codec == 'vp9' else 'libvpx'} -quality realtime -speed {6 if codec == 'vp9' else -4} -threads 1"
    words += " -static-thresh 0 -max-intra-rate 300 -lag-in-frames 0 -qmin 4 -qmax 48 -error-resilient 1"
    words += f" -g {KEY_DISTANCE} -b:v {rate} -minrate {rate} -maxrate {rate} -bufsize {rate}"
    words += " -row-mt 1 -tile-columns 4 -frame-parallel 1" if codec == "vp9" else ""
    return [*FFMPEG, "-y", "-i", str(source), *words.split(), "-f", "ivf", str(output)]


def gstreamer_own(source: list[str], codec: str, kilobits: int, output: Path) -> list[str]:
    words = f"{codec}enc deadline=1 target-bitrate={1000 * kilobits} cpu-used=-16 keyframe-max-dist={KEY_DISTANCE}"
    words += " keyframe-mode=disabled end-usage=cbr buffer-initial-size=100 buffer-optimal-size=120 buffer-size=150"
    words += " max-intra-bitrate=250 error-resilient=default lag-in-frames=0 threads=1 ! webmmux ! filesink"
    return [*source, *words.split(), f"location={output}"]
