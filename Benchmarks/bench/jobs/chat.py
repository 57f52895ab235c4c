"""Chats on the disk: messages stored a second, and the time of a join and of a page of history."""

from statistics import median

from ..job import Context, Job
from ..process import PACKAGE, build, command, printed, progress, run
from ..report import Result, Table, Target, target

ROOMS = 1000
LIMIT = 20.0
"""Milliseconds of database time that 99 of 100 joins and pages may take."""
SHARE = 0.5
"""The least messages stored a second, as a share of bare inserts of SQLite."""


def execute(context: Context, result: Result) -> None:
    program = build("bench-chat", PACKAGE / "Store", PACKAGE / "Store/.build")
    written = Table(["rows a commit", "Rill, messages a second", "range", "SQLite, inserts a second", "range", "share", "range", "one by one"], [])
    for rows, messages in ((1, 1000), (10, 5000), (100, 20_000), (1000, 50_000)):
        progress(f"commits of {rows}")
        folder = context.folder / f"write-{rows}"
        folder.mkdir()
        figures = printed(run(command(program, "write", folder, "--rows", rows, "--messages", messages, "--rooms", ROOMS)).output)
        own, single, bare = ([figures[f"{name}_{round}"] for round in range(7)] for name in ("stored", "single", "bare"))
        shares = [mine / other for mine, other in zip(own, bare)]
        share, least = median(shares), min(shares)
        written.rows.append([
            f"{rows}", f"{median(own):.0f}", f"{min(own):.0f}–{max(own):.0f}", f"{median(bare):.0f}", f"{min(bare):.0f}–{max(bare):.0f}",
            f"{share:.2f}", f"{least:.2f}–{max(shares):.2f}",
            f"{median(mine / other for mine, other in zip(single, bare)):.2f}",
        ])
        if rows >= 10:
            result.targets.append(Target(f"messages stored a second, share of bare inserts, {rows} rows a commit", f"{share:.2f}, least {least:.2f}, at least {SHARE}", share >= SHARE))
    result.blocks.append(written)
    count = 10_000_000 if context.whole else 100_000
    progress(f"{count} messages in {ROOMS} rooms")
    figures = printed(run(command(program, "read", context.folder, "--messages", count, "--rooms", ROOMS)).output)
    read = Table(["milliseconds of database time", "median", "99 of 100", "most"], [])
    for rooms, name in (("busy", "rooms as often as they have messages"), ("any", "each room as often")):
        for kind, what in (("join", "join with the last 50"), ("page", "page of 50")):
            read.rows.append([f"{what}, {name}"] + [f"{figures[f'{rooms}_{kind}_{each}']:.2f}" for each in ("median", "p99", "most")])
            result.targets.append(target(f"{what}, {name}: 99 of 100", figures[f"{rooms}_{kind}_p99"], LIMIT, "ms"))
    read.rows.append([f"{count} messages, {figures['bytes'] / 1e6:.0f} MB"])
    result.blocks.append(read)


JOB = Job(
    "chat", "Chats on the disk",
    "Messages of 1000 rooms, whose sizes, authors and lengths follow Zipf's law. Rill's database and bare inserts of SQLite (the same "
    "mode, as many rows a commit, and an index that keeps keys unique) store the same messages in 20 turns a round, seven rounds; Rill's commits are handed over eight ahead, and one by one. Then 2000 joins and 6000 pages "
    "are read, the file out of the system's page cache before. With --whole ten million messages, else 100,000.",
    execute, {"whole": False}, takes_clip=False,
)
