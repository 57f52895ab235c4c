"""One publisher, many viewers: what forwarding costs, beside Janus's Streaming plugin."""

import os
import subprocess
import time
from pathlib import Path

from ..janus import Janus
from ..job import Context, Job
from ..process import ENVIRONMENT, build, printed, progress
from ..report import Result, Table, Target


class Conversation:
    """A program that is spoken to by lines: `offer 3 BASE64`."""

    def __init__(self, *words: object) -> None:
        self._process = subprocess.Popen(
            [str(word) for word in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | ENVIRONMENT)

    def send(self, *words: object) -> None:
        self._process.stdin.write(" ".join(map(str, words)) + "\n")
        self._process.stdin.flush()

    def receive(self) -> list[str]:
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._process.args[1]} has ended with {self._process.wait()}")
        return line.split()

    def ask(self, *words: object) -> list[str]:
        self.send(*words)
        return self.receive()

    def count(self) -> dict[str, float]:
        return printed(" ".join(self.ask("count", 0)))

    @property
    def pid(self) -> int:
        return self._process.pid

    def __enter__(self) -> "Conversation":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()


def cpu(pid: int) -> float:
    """CPU seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> int:
    """Resident memory in bytes."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def measure(pid: int, viewers: Conversation, seconds: float, base: int, count: int, sink: dict) -> None:
    """Lets it run, and notes what the server took for what the viewers received."""
    start, before = cpu(pid), viewers.count()
    time.sleep(seconds)
    after, end = viewers.count(), cpu(pid)
    packets = after["packets"] - before["packets"]
    sink["cpu"] = (end - start) / seconds
    sink["packet"] = (end - start) / packets * 1e6
    sink["rate"] = packets / seconds
    sink["frames"] = (after["received"] - before["received"]) / seconds / count
    sink["memory"] = (resident(pid) - base) / count
    sink["connected"] = after["connected"]
    sink["first"] = after["first"] / max(after["seen"], 1) / 1000
    sink["requests"] = after["requests"]


def rill(work: str, clip: str, context: Context) -> dict:
    figures: dict = {}
    with Conversation(work, "forward") as server, Conversation(work, "viewers") as viewers, Conversation(
        work, "publisher", "--clip", clip, "--size", "1280x720", "--bitrate", f"{context.bitrate}k", "--low", 1) as publisher:
        offer = publisher.receive()
        publisher.send(*server.ask("publish", 0, offer[2]))
        time.sleep(8)
        base, keys = resident(server.pid), server.count()["keyframes"]
        # All of them within a second.
        for number in range(context.viewers):
            offer = viewers.ask("new", number)
            viewers.send(*server.ask("watch", number, offer[2]))
        time.sleep(1)
        figures["keys"] = server.count()["keyframes"] - keys
        time.sleep(4)
        measure(server.pid, viewers, context.duration, base, context.viewers, figures)
    return figures


def janus(work: str, clip: str, context: Context, folder: Path) -> dict | None:
    server = Janus.start(folder)
    if server is None:
        return None
    figures: dict = {}
    with server, Conversation(work, "viewers", "--at", server.ip) as viewers:
        sender = subprocess.Popen(
            [work, "senders", "--clip", clip, "--size", "1280x720", "--count", "1", "--layers", "high", "--bitrate", f"{context.bitrate}k",
             "--low-stream", "45k@5", "--seconds", "600", "--to", f"127.0.0.1:{server.media}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ | ENVIRONMENT)
        try:
            time.sleep(3)
            base = resident(server.pid)
            for number in range(context.viewers):
                handle, offer = server.watch()
                server.start_viewer(handle, viewers.ask("offer", number, offer)[2])
            time.sleep(5)
            measure(server.pid, viewers, context.duration, base, context.viewers, figures)
        finally:
            sender.kill()
            sender.wait()
    return figures


def execute(context: Context, result: Result) -> None:
    work, clip = context.work or build("bench-work"), context.clip(60, "1280x720")
    rows: dict[str, list[dict]] = {"Rill": [], "Janus": []}
    for number in range(context.iterations):
        progress(f"run {number + 1} of {context.iterations}: Rill")
        rows["Rill"].append(rill(work, clip.path, context))
        progress(f"run {number + 1} of {context.iterations}: Janus")
        other = janus(work, clip.path, context, context.folder / f"janus-{number}")
        if other is not None:
            rows["Janus"].append(other)
    table = Table(
        ["server", "run", "CPU, share of a core", "packets per second", "a packet costs", "frames per viewer", "memory a viewer",
         "key frames for all who joined", "first frame"], [])
    for name, runs in rows.items():
        for number, each in enumerate(runs):
            table.rows.append([
                name, f"{number + 1}", f"{each['cpu']:.3f}", f"{each['rate']:.0f}", f"{each['packet']:.2f} µs",
                f"{each['frames']:.1f} per second", f"{each['memory'] / 1024:.0f} kB", f"{each.get('keys', float('nan')):.0f}",
                f"{each['first']:.0f} ms",
            ])
    result.blocks.append(table)
    ours = rows["Rill"]
    result.targets.append(Target(
        "all viewers are connected", f"{min(each['connected'] for each in ours):.0f}",
        all(each["connected"] == context.viewers for each in ours)))
    result.targets.append(Target(
        "every viewer gets every frame", f"{min(each['frames'] for each in ours):.1f} per second",
        min(each["frames"] for each in ours) > 28.5))
    result.targets.append(Target(
        "key frames asked for by all who join within a second", f"{max(each['keys'] for each in ours):.0f}",
        max(each["keys"] for each in ours) <= 1))


JOB = Job(
    "forward", "One publisher, many viewers",
    "A publisher sends one 720p layer (and a low one) by WebRTC to a forwarder on loopback, which fifty viewers join within a second. "
    "Beside it Janus's Streaming plugin gets the same pictures as plain RTP and sends them to as many viewers of ours. CPU seconds are "
    "those of the server's process; both have two cores with the viewers.",
    execute, {"iterations": 2, "duration": 20, "viewers": 50, "bitrate": 1200, "work": None},
)
