"""GStreamer's jitter buffer on traces that Rill recorded."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

from .calls import PACKAGE, TRIAL, environment
from .measure import CommandFailed

RECEIVER = PACKAGE / ".build" / "gstreamer-receiver"
LATENCIES = [20, 50, 100, 200, 400]


def build() -> None:
    """Builds gstreamer-receiver."""
    RECEIVER.parent.mkdir(exist_ok=True)
    names = ["gstreamer-1.0", "gstreamer-check-1.0"]
    found = subprocess.run(["pkg-config", "--cflags", "--libs", *names], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        sys.exit("GStreamer's headers are missing: Scripts/setup benchmark")
    source = PACKAGE / "GStreamerReceiver" / "gstreamer-receiver.c"
    command = ["clang", "-O2", "-Wall", "-Wextra", "-o", str(RECEIVER), str(source), *found.stdout.split()]
    if subprocess.run(command, check=False).returncode != 0:
        sys.exit(f"this did not work: {' '.join(command)}")


def describe(capture: Path) -> dict[str, dict]:
    """What network-trial says of a capture that it wrote, layer by layer."""
    layers = json.loads(capture.with_name(capture.name + ".json").read_text())["layers"]
    return {layer["name"]: layer for layer in layers}


def play(capture: Path, layer: dict, latencies: list[int], clock: str = "virtual") -> str:
    """What GStreamer shows of a layer, and when: `LATENCY TIMESTAMP NANOSECONDS` in each line."""
    command = [str(RECEIVER), "play", str(capture), str(layer["ssrc"]), str(layer["payloadType"]), clock]
    command += [str(latency) for latency in latencies]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CommandFailed(f"{' '.join(command)}\n{done.stderr[-1000:]}")
    return done.stdout


def judge(capture: Path, layer: dict) -> dict[int, dict]:
    """What came of a layer at each latency. A trace that was played before is not played again."""
    content = hashlib.sha256(RECEIVER.read_bytes() + capture.read_bytes()).hexdigest()
    kept = capture.with_name(f"{capture.name}-{layer['name']}-{content[:16]}.log")
    if not kept.exists():
        log = play(capture, layer, LATENCIES)
        for old in capture.parent.glob(f"{capture.name}-{layer['name']}-*.log"):
            old.unlink()
        kept.write_text(log)
    command = [str(TRIAL), "judge", str(capture.with_name(capture.name + ".json")), layer["name"]]
    done = subprocess.run(
        command, input=kept.read_text(), capture_output=True, text=True, check=False, env=environment()
    )
    if done.returncode != 0:
        raise CommandFailed(f"{' '.join(command)}\n{done.stderr[-1000:]}")
    return {int(latency): result for latency, result in json.loads(done.stdout).items()}
