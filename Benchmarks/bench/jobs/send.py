"""Sending two streams at once, as fast as possible."""

from pathlib import Path

from ..clip import Clip
from ..contest import CPU, FLOOR, INSTRUCTIONS, MEMORY, OURS, RIVAL, WALL, Entry, Heat, Look, Work, hold
from ..job import Context, Job
from ..listening import PacketTally
from ..process import Command, Process, Run, build, command
from ..recipes import FFMPEG, ffmpeg_vp8, gstreamer_source, gstreamer_vp8, vpxenc
from ..report import Result, target

LOW_KILOBITS = 45


def run(context: Context, result: Result) -> None:
    clip = context.clip(context.frames)
    kilobits = context.bitrate or clip.bitrate()
    high, low = PacketTally(), PacketTally()
    recipes = Recipes(clip, kilobits, high.address, low.address, context)

    def look(done: Run) -> Work:
        sent, thumbnails = high.take(), low.take()
        return Work(sent.frames, sent.coded_bytes + thumbnails.coded_bytes, sent.packets_lost + thumbnails.packets_lost)

    def runs(what: Command, limit: float) -> Run:
        return Process(what).wait(limit, lambda: (high.drain(), low.drain()))

    single, double = ([recipe(threads, look) for recipe in (recipes.rill, recipes.ffmpeg, recipes.gstreamer)] for threads in (1, 2))
    floor = vpxenc_alone(clip, kilobits, context.folder / "vpxenc.ivf")
    heats = [
        Heat("one encoder thread", [INSTRUCTIONS, CPU, WALL, MEMORY], [*single, floor, floor.again]),
        Heat("two encoder threads", [CPU, WALL, MEMORY], double),
    ]
    hold(
        context, result, heats,
        f"The clip at its own size and {kilobits} kbit/s, and 160x120 at 5 frames per second and {LOW_KILOBITS} kbit/s: read, scaled, "
        "encoded by libvpx as VP8, packetized into at most 1200 bytes and sent to local ports that a listener reads. As fast as "
        "possible.",
        f"Common settings: constant bitrate, real-time deadline, speed {clip.speed} (low: -4), quantizers 2 to 56, no lookahead, only "
        "the first frame a key frame, one token partition, no error resilience, a buffer of 1000 ms with a target of 600 ms. FFmpeg "
        "sets the target to five sixths of the buffer, so its buffer is 720 ms. Each program uses its own scaler.",
        "vpxenc encodes only the high stream and sends nothing: a floor for programs that do all of the work. It runs twice, and the "
        "difference between its two runs is the noise; with two threads Rill runs twice.",
        runs=runs,
    )
    if clip.size == "1280x720":  # the targets of sending are for this size
        promise(result, *heats)


def promise(result: Result, single: Heat, double: Heat) -> None:
    single.promise(result, "send, instructions relative to vpxenc", INSTRUCTIONS, "vpxenc", 1.035)
    for name in ("FFmpeg", "GStreamer"):
        single.promise(result, f"send, CPU seconds relative to {name} (within the noise)", CPU, name)
    single.promise(result, "send, wall time relative to FFmpeg, encoder threads: 1", WALL, "FFmpeg", 1)
    double.promise(result, "send, wall time relative to FFmpeg, encoder threads: 2", WALL, "FFmpeg", 0.9)
    if peaks := MEMORY.of(single.ours):
        result.targets.append(target("send, peak memory", max(peaks) / 2**20, 45, "MiB"))


class Recipes:
    """The commands of each program for the same work: two VP8 streams of one clip over UDP."""

    def __init__(self, clip: Clip, kilobits: int, high: str, low: str, context: Context) -> None:
        self.clip, self.kilobits, self.high, self.low, self.context = clip, kilobits, high, low, context
        # The largest centered rectangle with the low stream's aspect ratio.
        width, height = clip.width, clip.height
        is_wide = width * 120 > height * 160
        self.cropped = (height * 160 // 120 // 2 * 2, height) if is_wide else (width, width * 120 // 160 // 2 * 2)

    def rill(self, threads: int, look: Look) -> Entry:
        work = self.context.work or build("bench-work")
        rates = ("--bitrate", f"{self.kilobits}k", "--low-bitrate", f"{LOW_KILOBITS}k", "--threads", threads)
        words = (work, "send", "--clip", self.clip.path, "--high", self.high, "--low", self.low, *rates)
        return Entry("Rill", OURS, command(*words), look=look)

    def ffmpeg(self, threads: int, look: Look) -> Entry:
        width, height = self.cropped
        # One thread for libavcodec and libavfilter, which would start more; the encoders have their own option.
        words = [*FFMPEG, *"-filter_threads 1 -filter_complex_threads 1 -threads 1 -i".split(), self.clip.path, "-filter_complex"]
        words.append(f"[0:v]split[high][full];[full]fps=5,crop={width}:{height},scale=160:120:flags=area[low]")
        words += ["-map", "[high]", *ffmpeg_vp8(self.kilobits, self.clip.speed, threads), "-f", "rtp", self._url(self.high)]
        words += ["-map", "[low]", *ffmpeg_vp8(LOW_KILOBITS, -4, 1, is_full=True), "-max-intra-rate", "175"]
        return Entry("FFmpeg", RIVAL, command(*words, "-f", "rtp", self._url(self.low)), look=look)

    @staticmethod
    def _url(address: str) -> str:
        """RTCP is sent to the same port, which a listener reads."""
        return f"rtp://{address}?rtcpport={address.split(':')[1]}&pkt_size=1200"

    def gstreamer(self, threads: int, look: Look) -> Entry:
        (width, height), clip = self.cropped, self.clip
        x, y = (clip.width - width) // 2, (clip.height - height) // 2
        words = gstreamer_source(clip, clip.samples(self.context.folder)) + ["tee", "name=pictures", "pictures.", "!"]
        words += gstreamer_vp8(self.kilobits, clip.speed, threads, "buffer-initial-size=500") + self._packets(self.high)
        words += "pictures. ! videorate drop-only=true ! video/x-raw,framerate=5/1 ! videocrop".split()
        words += f"left={x} right={x} top={y} bottom={y} ! videoscale ! video/x-raw,width=160,height=120 !".split()
        words += gstreamer_vp8(LOW_KILOBITS, -4, 1, "buffer-initial-size=1000 max-intra-bitrate=175")
        return Entry("GStreamer", RIVAL, command(*words, *self._packets(self.low)), look=look)

    @staticmethod
    def _packets(address: str) -> list[str]:
        host, port = address.split(":")
        return f"! rtpvp8pay mtu=1200 ! udpsink host={host} port={port} sync=false async=false".split()


def vpxenc_alone(clip: Clip, kilobits: int, output: Path) -> Entry:
    """Only the high stream."""

    def look(_: Run) -> Work:
        data, position, work = output.read_bytes(), 32, Work(0, 0)
        while position + 12 <= len(data):
            size = int.from_bytes(data[position : position + 4], "little")
            work.frames, work.coded_bytes, position = work.frames + 1, work.coded_bytes + size, position + 12 + size
        return work

    return Entry("vpxenc, only the high stream", FLOOR, command(*vpxenc(clip, kilobits, output)), look=look)


JOB = Job(
    "send", "Sending two streams of a clip over UDP",
    "Rill, FFmpeg, GStreamer and vpxenc encode one clip to two VP8 streams at once, and send them to sockets that a listener reads: "
    "whole programs, with settings as equal as possible.",
    run, {"iterations": 11, "frames": 300, "bitrate": None, "seed": 1, "no-instructions": False, "work": None},
)
