"""Receiving one live stream over UDP, and decoding it."""

from ..contest import CPU, MEMORY, OURS, RIVAL, Entry, Heat, Work, hold
from ..job import Context, Job
from ..listening import free_port, somebody_listens
from ..process import Command, CommandFailed, Process, Run, build, command, printed
from ..process import run as run_once
from ..recipes import FFMPEG
from ..report import Result

SECONDS = 4
SESSION = "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=video {} RTP/AVP 96\r\na=rtpmap:96 VP8/90000\r\n"


def run(context: Context, result: Result) -> None:
    clip = context.clip()
    work, packets, port = context.work or build("bench-work"), context.folder / "packets.rtpdump", free_port()
    kilobits = context.bitrate or clip.bitrate()
    words = ("record", "--clip", clip.path, "--high", packets, "--bitrate", f"{kilobits}k", "--seconds", SECONDS)
    frames = int(printed(run_once(command(work, *words)).output)["frames"])
    session = context.folder / "stream.sdp"
    session.write_text(SESSION.format(port))
    words = "-nostats -progress pipe:1 -protocol_whitelist file,udp,rtp -threads 1 -i".split()
    ffmpeg = command(*FFMPEG, *words, session, "-frames:v", frames, "-f", "null", "-")
    caps = "caps=application/x-rtp,media=video,encoding-name=VP8,clock-rate=90000,payload=96"
    words = f"gst-launch-1.0 --quiet udpsrc address=127.0.0.1 port={port} {caps} buffer-size={8 << 20} ! rtpjitterbuffer !"
    words += f" rtpvp8depay ! vp8dec threads=1 ! identity eos-after={frames} ! fakesink sync=false"
    entries = [
        Entry("Rill", OURS, command(work, "receive", "--at", f"127.0.0.1:{port}", "--frames", frames)),
        Entry("FFmpeg", RIVAL, ffmpeg),
        # GStreamer does not report its pictures, and ends only when it has all.
        Entry("GStreamer", RIVAL, command(*words.split()), look=lambda _: Work(frames)),
    ]
    replay = command(work, "replay", "--packets", packets, "--to", f"127.0.0.1:{port}")

    def runs(what: Command, limit: float) -> Run:
        # Loopback loses packets only if the receiver cannot keep up, which may happen on a busy machine.
        for is_last in (False, False, True):
            senders: list[Process] = []

            def look() -> None:
                if not senders and somebody_listens(port):
                    senders.append(Process(replay))

            try:
                return Process(what).wait(SECONDS + 20, look)
            except CommandFailed as failure:
                if is_last or "timed out" not in str(failure):
                    raise
            finally:
                for sender in senders:
                    sender.wait(20)
        raise AssertionError

    hold(
        context, result, [Heat("one decoder thread", [CPU, MEMORY], entries)],
        f"{frames} pictures (the clip's first 60, forwards and backwards) are encoded once by Rill and sent at 30 per second, the same "
        "packets each time: UDP, jitter buffer, VP8 decoder, pictures discarded. A program ends when it has all pictures; one that lost "
        "a datagram is stopped, and the iteration is repeated.",
        "No packet is lost or late, so the wall time is the clip's and not compared.",
        runs=runs,
    )


JOB = Job(
    "receive", "Receiving and decoding a live stream",
    "Rill, FFmpeg and GStreamer receive the same packets over UDP in real time, through a jitter buffer and a decoder.",
    run, {"iterations": 11, "bitrate": None, "seed": 1, "work": None, "no-instructions": True},
)
