"""Measures Rill: its cost compared with FFmpeg, GStreamer and vpxenc, and the cost of its parts.

    Scripts/bench [JOB …|all] [CLIP] [OPTIONS]
    Scripts/bench JOB --help

The jobs are listed below. `all`, the default, runs send, receive, transcode, beauty, latency and scale. Without a clip a portrait
is drawn. Timings need an idle machine; the report shows its load. On a clean machine, run Scripts/setup benchmark first.

"""

import argparse
import fcntl
import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from . import against, facts
from .job import OPTIONS, Context, Job, WrongUse
from .jobs import JOBS
from .process import PACKAGE, REPOSITORY, CommandFailed, build, progress
from .report import Report, Result

# The page of all reports.
PAGE = REPOSITORY / "Sources/Tools/RillCLI/Page/report.html"

ALL = ["send", "receive", "transcode", "beauty", "latency", "scale"]


def main(words: list[str]) -> int:
    names = [] if words[:1] == ["all"] else take_names(words)
    rest = words[1:] if words[:1] == ["all"] else words[len(names):]
    jobs = [JOBS[name] for name in names or ALL]
    parser = make_parser(jobs, bool(names))
    options = parser.parse_args(rest)
    try:
        check(options)
    except WrongUse as wrong:
        parser.error(str(wrong))
    before = facts.load()
    results = []
    with run_folder() as folder:
        for job in jobs:
            context = Context(options, job, folder)
            result = Result(job.name, job.title)
            try:
                job.run(context, result)
            except CommandFailed as failure:
                result.failures.append(f"{job.name} failed: {failure}")
            except WrongUse as wrong:
                parser.error(f"{job.name}: {wrong}")
            results.append(result)
    progress("")
    report = Report(subtitle(options, context), results, facts.all_facts(before))
    if options.against:
        report.against = against.compare(options.against, report.json())
    if options.html:
        options.html.write_bytes(page(report))
    form = "json" if options.json else "markdown" if options.markdown else "text"
    print(getattr(report, form)())
    return 1 if any(result.is_failed for result in results) else 0


@contextmanager
def run_folder() -> Iterator[Path]:
    """The folder for clips and outputs. They stay until the next run, so that commands copied from a report find them."""
    folder = PACKAGE / ".build" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder.parent / "bench.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit("bench: another run is in progress, and both would disturb each other")
        shutil.rmtree(folder)
        folder.mkdir()
        yield folder


def take_names(words: list[str]) -> list[str]:
    """The words before the first that is not a job, which is the clip or an option."""
    names: list[str] = []
    for word in words:
        if word not in JOBS:
            break
        names.append(word)
    return names


def make_parser(jobs: list[Job], is_named: bool) -> argparse.ArgumentParser:
    """A parser for the options of the given jobs, and those of all jobs."""
    table = "\n".join(f"  {name:<15}{job.title}" for name, job in JOBS.items())
    text = "\n\n".join(f"{job.name}: {job.help}" for job in jobs) if is_named else __doc__ + table
    parser = argparse.ArgumentParser(
        prog="Scripts/bench " + (" ".join(job.name for job in jobs) if is_named else "[JOB …|all]"), description=text,
        formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False,
    )
    if any(job.takes_clip for job in jobs):
        parser.add_argument("clip", nargs="?", type=Path, help="the clip to measure with (default: the drawn portrait)")
    else:
        parser.set_defaults(clip=None)
    for name in dict.fromkeys(name for job in jobs for name in job.options):
        default = ", ".join(dict.fromkeys(f"{job.options[name]}" for job in jobs if job.options.get(name) not in (None, False)))
        options = dict(OPTIONS[name])
        options["help"] += f" (default: {default})" if default else ""
        parser.add_argument(f"--{name}", default=None, **options)
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page, with plots")
    parser.add_argument("--against", metavar="FILE", help="compare with an earlier run, a file written by --json")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    form.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    return parser


def check(options: argparse.Namespace) -> None:
    if options.clip and not options.clip.is_file():
        raise WrongUse(f"no such clip: {options.clip}")
    if options.html and options.html.suffix != ".html":
        raise WrongUse(f"{options.html}: the name of a page must end in .html")
    if options.against:
        try:
            json.loads(Path(options.against).read_text())["results"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise WrongUse(f"{options.against} is not an output of --json: {error!r}") from None


def subtitle(options: argparse.Namespace, context: Context) -> str:
    clip = options.clip.name if options.clip else "the drawn portrait" if context.job.takes_clip else "made-up input"
    count = getattr(options, "iterations", None) or context.job.options.get("iterations")
    return clip + (f"; {count} iteration{'s' * (count > 1)}" if count else "") + f"; {facts.processor()}, {os.cpu_count()} threads"


def page(report: Report) -> bytes:
    """The HTML page, self-contained in one file: that of all reports, with this one's JSON in the place of an empty one."""
    empty = '{"kind":"blocks","title":"Report","blocks":[]}'
    content = json.dumps(report.page(), ensure_ascii=False).replace("<", r"\u003c")
    return PAGE.read_text().replace(empty, content).encode()


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except CommandFailed as failure:
        sys.exit(f"bench: {failure}")
    except KeyboardInterrupt:
        sys.exit(130)
