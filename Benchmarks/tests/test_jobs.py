"""The output and packets of programs are parsed; wrong command lines are rejected."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from bench.clip import opened
from bench.contest import AGAIN, CPU, OURS, RIVAL, Entry, Heat, Work
from bench.figures import Rating
from bench.job import OPTIONS
from bench.jobs import JOBS, congestion_live
from bench.jobs.latency import STAGES, Call, targets
from bench.listening import payload_offset
from bench.process import Run, command, printed, quoted, run
from bench.report import Result, Table

PACKAGE = Path(__file__).resolve().parents[1]


class Calls(unittest.TestCase):
    TEXT = """captured 0 100000
captured 33000000 33100000
sent high 3000 0 100000 200000 5200000 6000000
shown high 3000 7000000 7100000 9000000 9900000 10000000
layer high coded=1 encoderBusy=1 packetsSent=2 packetsReceived=1 shown=1
frames=2
"""

    def test_the_timestamps_of_a_call_become_stages(self) -> None:
        call = Call("idle", "")
        call.read(self.TEXT)
        found = {title: call.layers["high"].milliseconds(stage) for title, _, stage in STAGES}
        self.assertEqual(found["captured → last packet sent"], [6])
        self.assertEqual(found["of it what Rill adds"], [1])
        self.assertEqual(found["captured → picture shown"], [10])

    def test_losses_are_reported_with_their_reason_and_miss_the_target(self) -> None:
        call = Call("idle", "")
        call.read(self.TEXT)
        self.assertEqual([*call.layers["high"].losses()], ["1 of 2 frames of high (1 replaced by a newer frame)", "1 datagrams of high"])
        self.assertEqual([each.is_met for each in targets(call, 1)], [True, False])

    def test_an_unknown_line_is_rejected(self) -> None:
        with self.assertRaisesRegex(Exception, "line 1"):
            Call("idle", "").read("Segmentation fault\n")


class RealTime(unittest.TestCase):
    @staticmethod
    def compared(quantity: congestion_live.Quantity, live: list[dict], virtual: list[dict]) -> tuple[list, bool | None]:
        result, table = Result("", ""), Table([], [])
        congestion_live.add("case", [quantity], 0, live, virtual, table, result)
        return table.rows[0], result.targets[0].is_met

    def test_medians_may_differ_by_a_tenth_or_by_chance(self) -> None:
        utilization, wait = congestion_live.WINDOW[0], congestion_live.WINDOW[2]
        for quantity, key, live, virtual, is_met in (
            (utilization, "utilization", [0.5, 0.87, 0.99], [0.95], True), (utilization, "utilization", [0.84], [0.95], False),
            (wait, "waitMean", [12.5], [10], True), (wait, "waitMean", [13.5], [10], False),
        ):
            calls = [[{"windows": [{key: value}]} for value in values] for values in (live, virtual)]
            self.assertEqual(self.compared(quantity, *calls)[1], is_met, (live, virtual))

    def test_what_never_happened_differs_from_what_did(self) -> None:
        row, is_met = self.compared(congestion_live.RISE[0], [{"rises": [-1]}], [{"rises": [2.5]}])
        self.assertEqual((row[2:], is_met), (["inf", "inf", "2.5", "–"], False))
        self.assertTrue(self.compared(congestion_live.RISE[0], [{"rises": [-1]}], [{"rises": [-1]}])[1])


class Contests(unittest.TestCase):
    @staticmethod
    def entry(part: str, seconds: float, work: Work, words: str = "a") -> Entry:
        return Entry(part, part, command(words), runs=[Run(seconds, seconds, 1, "")] * 5, work=work)

    def test_runs_whose_output_differs_are_left_out(self) -> None:
        ours = self.entry(OURS, 1, Work(30, 1000))
        for work, is_compared in ((Work(30, 1049), True), (Work(30, 1051), False), (Work(29, 1000), False)):
            heat = Heat("", [CPU], [ours, self.entry(RIVAL, 2, work, "b")])
            self.assertEqual(bool(heat.compared(CPU)), is_compared, work)

    def test_the_noise_is_that_of_the_command_that_ran_twice(self) -> None:
        ours, again = self.entry(OURS, 1, Work(30)), self.entry(AGAIN, 1.06, Work(30))
        heat = Heat("", [CPU], [ours, self.entry(RIVAL, 1.05, Work(30), "b"), again])
        self.assertAlmostEqual(heat.scatter(CPU), 0.06)
        self.assertIs(heat.compared(CPU)[0][1].rating, Rating.LEVEL)


class Programs(unittest.TestCase):
    def test_pairs_are_found_in_the_output(self) -> None:
        self.assertEqual(printed("frame=  1\nfps=30.5\nframe=  90\nx=1.5e3 held=7")["frame"], 90)
        self.assertEqual(printed("cpu=0.118 instructions=5.51e8")["instructions"], 5.51e8)
        self.assertEqual(printed("frame=12\nspeed=3.33e+03x")["frame"], 12)

    def test_words_are_quoted_for_a_shell(self) -> None:
        for word in ("plain-1.0", "it's", "a b", "$HOME", ""):
            self.assertEqual(subprocess.check_output(["sh", "-c", f"printf %s {quoted(word)}"], text=True), word)

    def test_a_run_is_measured_and_one_that_hangs_is_stopped(self) -> None:
        done = run(command(sys.executable, "-c", "sum(range(3000000)); b = bytearray(50 << 20); print('frames=3')"))
        self.assertEqual(printed(done.output), {"frames": 3})
        self.assertTrue(0 < done.cpu < 20 and done.peak > 50 << 20, done)
        with self.assertRaisesRegex(Exception, "timed out"):
            run(command("sleep", 60), limit=0.2)
        with self.assertRaisesRegex(Exception, "exited with 3"):
            run(command("sh", "-c", "exit 3"))

    def test_an_answer_is_standard_output_alone(self) -> None:
        done = run(command("sh", "-c", "echo measured >&2; echo '{}'"))
        self.assertEqual(done.answer, "{}\n")
        self.assertIn("measured", done.output)

    def test_encoded_bytes_start_after_header_and_descriptor(self) -> None:
        header = bytes([0x80, 96]) + bytes(10)
        for descriptor, length in (((0x10, 9), 1), ((0x90, 0x80, 5), 3), ((0x90, 0x80, 0x85, 1), 4), ((0x90, 0xE0, 0x85, 1, 2, 3), 6)):
            self.assertEqual(payload_offset(header + bytes(descriptor) + bytes(9)), 12 + length, descriptor)

    def test_a_clip_of_another_rate_is_played_at_thirty_and_a_part_is_its_start(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path, frame = Path(folder) / "clip.y4m", 160 * 120 * 3 // 2
            path.write_bytes(b"YUV4MPEG2 W160 H120 F25:1 C420\n" + b"".join(b"FRAME\n" + bytes([n]) * frame for n in range(8)))
            clip = opened(path, Path(folder))
            self.assertEqual((clip.size, clip.frame_count), ("160x120", 8))
            part = clip.first(6, Path(folder))
            self.assertIn(b"F30:1", part.path.read_bytes()[:64])
            self.assertEqual(part.samples(Path(folder)).read_bytes()[-1], 5)


class CommandLine(unittest.TestCase):
    def bench(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, "-m", "bench", *words], cwd=PACKAGE, capture_output=True, text=True, check=False)

    def test_every_job_has_a_title_and_known_options(self) -> None:
        for name, job in JOBS.items():
            self.assertTrue(job.title and job.help and job.options.keys() <= OPTIONS.keys(), name)
            self.assertIn(job.title, self.bench("--help").stdout)

    def test_a_table_of_losses_has_a_row_for_each_network(self) -> None:
        done = self.bench("loss", "--seeds", "1", "--duration", "2s", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("duplication 5 %", done.stdout)

    def test_wrong_arguments_are_rejected_before_anything_runs(self) -> None:
        for words in (
            ["nothing.y4m"], ["send", "nothing.y4m"], ["send", "--seeds", "3"], ["send", "--iterations", "0"], ["send", "--bitrate", "1500"],
            ["send", "--html", "page.txt"], ["rtp", "--against", "nothing.json"], ["rtp", "clip.y4m"], ["latency", "--duration", "2d"],
        ):
            done = self.bench(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn("error:", done.stderr, words)


if __name__ == "__main__":
    unittest.main()
