"""Runs GStreamer's jitter buffer on traces that Rill recorded, with `Programs/gstreamer-receiver.c`."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

from .process import build, build_c, command, run

LATENCIES = [20, 50, 100, 200, 400]


def receiver() -> str:
    found = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "gstreamer-1.0", "gstreamer-check-1.0"], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        sys.exit("GStreamer's headers are missing: Scripts/setup benchmark")
    return build_c("gstreamer-receiver", *found.stdout.split())


def describe(capture: Path) -> dict[str, dict]:
    """The description of a capture that bench-calls wrote, by layer."""
    return {layer["name"]: layer for layer in json.loads(_description(capture).read_text())["layers"]}


def _description(capture: Path) -> Path:
    return capture.with_name(capture.name + ".json")


def play(capture: Path, layer: dict, latencies: list[int], clock: str = "virtual") -> str:
    """The pictures of a layer that GStreamer shows, and when: `LATENCY TIMESTAMP NANOSECONDS` in each line."""
    return run(command(receiver(), "play", capture, layer["ssrc"], layer["payloadType"], clock, *latencies)).output


def judge(capture: Path, layer: dict) -> dict[int, dict]:
    """The results of a layer at each latency. The logs of traces played earlier are reused."""
    content = hashlib.sha256(Path(receiver()).read_bytes() + capture.read_bytes()).hexdigest()
    kept = capture.with_name(f"{capture.name}-{layer['name']}-{content[:16]}.log")
    if not kept.exists():
        log = play(capture, layer, LATENCIES)
        for old in capture.parent.glob(f"{capture.name}-{layer['name']}-*.log"):
            old.unlink()
        kept.write_text(log)
    with kept.open() as log:
        found = run(command(build("bench-calls"), "judge", "--trace", _description(capture), "--layer", layer["name"]), stdin=log)
    return {int(latency): each for latency, each in json.loads(found.output).items()}
