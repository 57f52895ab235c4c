"""The comparison of figures with committed ones, and the file of committed figures."""

import math
import tempfile
import unittest
from pathlib import Path

from bench.committed import Committed, Threshold, Rating, judge

INSTRUCTIONS = Threshold(1000, tolerance=0.01)
ALLOCATIONS = Threshold(1, slack=0.02)
MADE_WITH = {"libvpx": "1.12.0", "libyuv": "2023"}


def committed(**thresholds: dict[str, Threshold]) -> Committed:
    return Committed({name.replace("_", "/"): kinds for name, kinds in thresholds.items()}, MADE_WITH)


class Judging(unittest.TestCase):
    def test_figures_within_the_tolerance_are_kept(self) -> None:
        for measured in (990, 1000, 1010):
            self.assertIs(judge(measured, INSTRUCTIONS), Rating.KEPT, measured)

    def test_more_than_the_tolerance_above_is_exceeded(self) -> None:
        self.assertIs(judge(1010.1, INSTRUCTIONS), Rating.EXCEEDED)
        self.assertIs(judge(1.03, ALLOCATIONS), Rating.EXCEEDED)

    def test_more_than_the_tolerance_below_is_better_and_not_a_failure(self) -> None:
        self.assertIs(judge(989, INSTRUCTIONS), Rating.BETTER)
        self.assertFalse(Rating.BETTER.is_failure)

    def test_another_machine_may_take_slightly_more(self) -> None:
        self.assertIs(judge(1009, INSTRUCTIONS, 0.05), Rating.KEPT)
        self.assertIs(judge(1060, INSTRUCTIONS, 0.05), Rating.ELSEWHERE)
        self.assertIs(judge(1061, INSTRUCTIONS, 0.05), Rating.EXCEEDED)
        self.assertFalse(Rating.ELSEWHERE.is_failure)

    def test_slack_allows_a_zero_to_stay_almost_zero(self) -> None:
        nothing = Threshold(0, slack=0.02)
        self.assertIs(judge(0.01, nothing), Rating.KEPT)
        self.assertIs(judge(1, nothing), Rating.EXCEEDED)

    def test_without_tolerance_or_slack_only_equal_values_are_kept(self) -> None:
        self.assertIs(judge(1, Threshold(1)), Rating.KEPT)
        self.assertIs(judge(1.0001, Threshold(1)), Rating.EXCEEDED)

    def test_nan_is_exceeded(self) -> None:
        self.assertIs(judge(math.nan, INSTRUCTIONS), Rating.EXCEEDED)

    def test_new_and_missing_figures_fail(self) -> None:
        self.assertTrue(judge(1, None).is_failure)
        self.assertTrue(judge(None, INSTRUCTIONS).is_failure)


class Comparing(unittest.TestCase):
    def test_only_instructions_may_differ_on_another_machine(self) -> None:
        both = {"instructions": INSTRUCTIONS, "allocations": ALLOCATIONS}
        figures = {"rtp/parse": {"instructions": 1040, "allocations": 1.04}}
        for made_with, rating in ((MADE_WITH, Rating.EXCEEDED), ({"libvpx": "1.15.0"}, Rating.ELSEWHERE)):
            rows = committed(rtp_parse=both).compare(figures, None, made_with)
            self.assertEqual([row.rating for row in rows], [rating, Rating.EXCEEDED])

    def test_rows_have_the_relative_change(self) -> None:
        rows = committed(rtp_parse={"instructions": INSTRUCTIONS}).compare({"rtp/parse": {"instructions": 1100}})
        self.assertEqual([(row.workload, row.rating) for row in rows], [("rtp/parse", Rating.EXCEEDED)])
        self.assertAlmostEqual(rows[0].change, 0.1)

    def test_each_figure_of_a_workload_is_judged_separately(self) -> None:
        both = {"instructions": INSTRUCTIONS, "allocations": ALLOCATIONS}
        rows = committed(rtp_parse=both).compare({"rtp/parse": {"instructions": 1000, "allocations": 2}})
        self.assertEqual([row.rating for row in rows], [Rating.KEPT, Rating.EXCEEDED])

    def test_a_missing_workload_is_reported_only_if_its_suite_ran(self) -> None:
        file = committed(rtp_parse={"instructions": INSTRUCTIONS})
        self.assertEqual([row.rating for row in file.compare({})], [Rating.GONE])
        self.assertEqual([row.rating for row in file.compare({}, {"rtp"})], [Rating.GONE])
        self.assertEqual(file.compare({}, {"image"}), [])

    def test_a_missing_figure_of_a_workload_is_reported(self) -> None:
        file = committed(rtp_parse={"instructions": INSTRUCTIONS, "ratio": Threshold(1)})
        rows = file.compare({"rtp/parse": {"instructions": 1000}})
        self.assertEqual([row.rating for row in rows], [Rating.KEPT, Rating.GONE])

    def test_another_library_is_reported(self) -> None:
        differences = committed().differences({"libvpx": "1.15.0", "libyuv": "2023"})
        self.assertEqual(differences, ["libvpx: committed with 1.12.0, here 1.15.0"])
        self.assertEqual(committed().differences(MADE_WITH), [])


class Updating(unittest.TestCase):
    def test_new_figures_round_trip_with_the_given_slack(self) -> None:
        figures = {"rtp/parse": {"instructions": 58.04, "allocations": 0.0}}
        new = committed().updated(figures, {"rtp/parse": 0.1}, MADE_WITH)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "thresholds.json"
            path.write_text(new.text())
            found = Committed.read(path)
        self.assertEqual(found.thresholds["rtp/parse"]["instructions"], Threshold(58, tolerance=0.01))
        self.assertEqual(found.thresholds["rtp/parse"]["allocations"], Threshold(0, slack=0.1))
        self.assertEqual(found.made_with, MADE_WITH)
        self.assertTrue(all(row.rating is Rating.KEPT for row in found.compare(figures)))

    def test_edited_tolerances_stay(self) -> None:
        file = committed(rtp_parse={"instructions": Threshold(1000, tolerance=0.05)})
        new = file.updated({"rtp/parse": {"instructions": 2000}}, {}, MADE_WITH)
        self.assertEqual(new.thresholds["rtp/parse"]["instructions"], Threshold(2000, tolerance=0.05))

    def test_suites_that_did_not_run_stay_and_missing_figures_of_others_are_removed(self) -> None:
        file = committed(rtp_parse={"instructions": INSTRUCTIONS}, image_copy={"instructions": INSTRUCTIONS})
        new = file.updated({"rtp/read": {"instructions": 7}}, {}, MADE_WITH, {"rtp"})
        self.assertEqual(sorted(new.thresholds), ["image/copy", "rtp/read"])

    def test_the_text_is_sorted_and_repeatable(self) -> None:
        figures = {"rtp/read": {"ratio": 1.5, "instructions": 7}, "image/copy": {"instructions": 9}}
        text = committed().updated(figures, {}, MADE_WITH).text()
        self.assertLess(text.index("image/copy"), text.index("rtp/read"))
        self.assertLess(text.index('"instructions": {"value": 7'), text.index('"ratio"'))
        self.assertEqual(text, committed().updated(dict(reversed(figures.items())), {}, MADE_WITH).text())

    def test_a_missing_file_is_empty(self) -> None:
        self.assertEqual(Committed.read(Path("/nonexistent/thresholds.json")).thresholds, {})


if __name__ == "__main__":
    unittest.main()
