"""Makes calls in virtual time with bench-calls, several at once, and stores their results."""

import hashlib
import json
import os
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .networks import Network
from .process import ENVIRONMENT, PACKAGE, CommandFailed, build, command, progress, run

STORE = PACKAGE / ".build" / "network"


def job(network: Network, seconds: int, seed: int) -> dict:
    """The job for bench-calls: a call over that network."""
    found = {"network": network.text(seconds), "seed": seed}
    if network.back is not None:
        found["returnNetwork"] = network.back
    if network.disturbance is not None:
        begin, end = (round(part * seconds) for part in network.disturbance)
        found["disturbance"] = {"begin": begin, "end": end}
    return found


class Maker:
    """Makes calls of one length with the pictures of one clip."""

    def __init__(self, clip: Path | None, seconds: int, key_seconds: int | None, workers: int) -> None:
        self.workers = workers
        self.program = build("bench-calls")
        self.options = ["--seconds", str(seconds)]
        if key_seconds is not None:
            self.options += ["--key-seconds", str(key_seconds)]
        source = "portrait"
        if clip:
            self.options += ["--clip", str(clip)]
            source = f"{clip.stem}-{clip.stat().st_size}"
        name = f"{source}-{seconds}s" + (f"-key{key_seconds}s" if key_seconds else "")
        self.folder = STORE / name
        self.options += ["--folder", str(self.folder)]
        self._prepare()
        # The result of a call depends only on the program and on the encoded clip.
        program = hashlib.sha256(Path(self.program).read_bytes())
        for coded in sorted(self.folder.glob("*.ivf")):
            program.update(coded.read_bytes())
        self.results = self.folder / f"results-{program.hexdigest()[:16]}.jsonl"

    def _prepare(self) -> None:
        marker = self.folder / "prepared"
        if marker.exists():
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        progress("encoding the clip once")
        run(command(self.program, "prepare", *self.options))
        marker.touch()

    def make(self, jobs: dict) -> dict:
        """The result of each job; stored results are reused."""
        known = self._known()
        results = {key: known[text(job)] for key, job in jobs.items() if text(job) in known}
        missing = {key: job for key, job in jobs.items() if key not in results}
        if missing:
            results |= self._run(missing)
        return {key: results[key] for key in jobs}

    def _known(self) -> dict[str, dict]:
        if not self.results.exists():
            # Results of other builds of the program are useless.
            for old in self.folder.glob("results-*.jsonl"):
                old.unlink()
            return {}
        known = {}
        for line in self.results.read_text().splitlines():
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:
                continue  # an interrupted run's last line
            known[text(entry["job"])] = entry["result"]
        return known

    def _run(self, jobs: dict) -> dict:
        results, lock, begin = {}, threading.Lock(), time.monotonic()

        def work(items: list) -> None:
            """Makes these calls in one process, one after the other."""
            words = (self.program, "calls", *self.options)
            with tempfile.TemporaryFile("w+") as lines:
                lines.writelines(text(job) + "\n" for _, job in items)
                lines.seek(0)
                process = subprocess.Popen(words, stdin=lines, stdout=subprocess.PIPE, text=True, env=os.environ | ENVIRONMENT)
            with process:
                for (key, job), line in zip(items, process.stdout):
                    with lock:
                        results[key] = json.loads(line)
                        store.write(json.dumps({"job": job, "result": results[key]}) + "\n")
                        store.flush()
                        left = (time.monotonic() - begin) / len(results) * (len(jobs) - len(results))
                        progress(f"call {len(results)} of {len(jobs)}, {left:.0f} s left")

        with self.results.open("a") as store, ThreadPoolExecutor(self.workers) as pool:
            list(pool.map(work, ([*jobs.items()][first :: self.workers] for first in range(min(self.workers, len(jobs))))))
        if missing := [job for key, job in jobs.items() if key not in results]:
            raise CommandFailed(f"bench-calls gave no result for {text(missing[0])}")
        return results


def text(job: dict) -> str:
    return json.dumps(job, sort_keys=True)
