"""Janus with one mountpoint of its Streaming plugin, on ports of its own, and its HTTP API."""

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

LIBRARIES = Path("/usr/lib/x86_64-linux-gnu/janus")


class Janus:
    """A running server."""

    @staticmethod
    def start(folder: Path) -> "Janus | None":
        """Starts a server; None if it is not installed, or this machine has no address but loopback, which Janus does not use."""
        program, ip = shutil.which("janus"), _address()
        return Janus(program, folder, ip) if program and ip else None

    def __init__(self, program: str, folder: Path, ip: str) -> None:
        self.ip, self.port, self.media = ip, _free(socket.SOCK_STREAM), _free(socket.SOCK_DGRAM)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "janus.jcfg").write_text(
            f'general: {{ configs_folder = "{folder}"; plugins_folder = "{LIBRARIES}/plugins"; '
            f'transports_folder = "{LIBRARIES}/transports"; debug_level = 3; }}\n'
            'plugins: { disable = "' + ",".join(
                each.name for each in sorted((LIBRARIES / "plugins").glob("*.so")) if "streaming" not in each.name) + '"; }\n'
            'transports: { disable = "' + ",".join(
                each.name for each in sorted((LIBRARIES / "transports").glob("*.so")) if "http" not in each.name) + '"; }\n')
        (folder / "janus.transport.http.jcfg").write_text(
            f'general: {{ http = true; port = {self.port}; ip = "127.0.0.1"; https = false; }}\n')
        (folder / "janus.plugin.streaming.jcfg").write_text(
            f'clip: {{ type = "rtp"; id = 1; audio = false; video = true; videoport = {self.media}; videopt = 96; videocodec = "vp8"; videobufferkf = true; }}\n')
        self._process = subprocess.Popen(
            [program, "-F", str(folder)], stdout=open(folder / "log", "w"), stderr=subprocess.STDOUT)
        self._session = self._retry(lambda: self._post("", janus="create"))["data"]["id"]

    @property
    def pid(self) -> int:
        return self._process.pid

    def watch(self) -> tuple[int, str]:
        """Begins to watch the mountpoint: the handle, and Janus's offer in base64."""
        handle = self._post(f"/{self._session}", janus="attach", plugin="janus.plugin.streaming")["data"]["id"]
        self._post(f"/{self._session}/{handle}", janus="message", body={"request": "watch", "id": 1})
        return handle, base64.b64encode(self._event(handle)["jsep"]["sdp"].encode()).decode()

    def start_viewer(self, handle: int, answer: str) -> None:
        """Gives Janus the answer, in base64."""
        jsep = {"type": "answer", "sdp": base64.b64decode(answer).decode()}
        self._post(f"/{self._session}/{handle}", janus="message", body={"request": "start"}, jsep=jsep)

    def _event(self, handle: int) -> dict:
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/janus/{self._session}", timeout=35) as response:
                event = json.load(response)
            if event.get("sender") == handle and "jsep" in event:
                return event
        raise RuntimeError("Janus offers nothing")

    def _post(self, path: str, **message: object) -> dict:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/janus{path}", json.dumps({"transaction": "1", **message}).encode(),
            {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as response:
            answer = json.load(response)
        if answer.get("janus") == "error":
            raise RuntimeError(answer["error"])
        return answer

    def _retry(self, body):
        for _ in range(100):
            try:
                return body()
            except OSError:
                time.sleep(0.1)
        return body()

    def __enter__(self) -> "Janus":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()


def _free(kind: int) -> int:
    with socket.socket(socket.AF_INET, kind) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def _address() -> str | None:
    """The address of this machine towards others; nothing is sent."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.connect(("198.51.100.1", 9))
            return one.getsockname()[0]
    except OSError:
        return None
