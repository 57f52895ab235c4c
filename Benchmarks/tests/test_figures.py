"""The rating on two samples, and the comparison of a run with an earlier one."""

import json
import unittest

from bench.against import change, figures, Old
from bench.figures import Sample, Rating, judge, percentile, ratios, timed
from bench.report import Comparison, Report, Result, Table, target


def sample(*values: float) -> Sample:
    return Sample(values)


class Samples(unittest.TestCase):
    def test_quartiles_are_interpolated(self) -> None:
        self.assertEqual(sample(4, 1, 3, 2).median, 2.5)
        self.assertEqual(sample(1, 2, 3, 4, 5).quartiles, (2, 4))

    def test_percentiles_are_exact_despite_rounding(self) -> None:
        for count in (20, 40, 100, 1000):
            self.assertEqual(percentile(range(1, count + 1), 0.95), count * 95 // 100, count)
        self.assertEqual(percentile([7], 0.999), 7)

    def test_ratios_are_taken_per_iteration_without_zeros(self) -> None:
        self.assertEqual(ratios([2, 9, 8], [1, 3, 0]).values, (2, 3))
        self.assertIsNone(ratios([None], [1]))

    def test_the_noise_of_a_command_is_the_distance_of_its_quartiles_from_one(self) -> None:
        self.assertAlmostEqual(sample(0.9, 1, 1.2).straying_from_one, 0.1)


class Ratings(unittest.TestCase):
    def test_a_difference_above_the_noise_counts_in_either_direction(self) -> None:
        self.assertIs(judge(sample(*[1.2] * 5), 0.05, False), Rating.AHEAD)
        self.assertIs(judge(sample(*[0.8] * 5), 0.05, False), Rating.BEHIND)
        self.assertIs(judge(sample(*[1.04] * 5), 0.05, False), Rating.LEVEL)

    def test_both_directions_need_the_same_distance(self) -> None:
        self.assertIs(judge(sample(*[1 / 1.04] * 5), 0.05, False), Rating.LEVEL)
        self.assertIs(judge(sample(*[1 / 1.06] * 5), 0.05, False), Rating.BEHIND)

    def test_iterations_that_do_not_agree_are_level(self) -> None:
        self.assertIs(judge(sample(0.8, 0.9, 1.3, 1.4, 1.5), 0.01, False), Rating.LEVEL)

    def test_timings_are_not_judged_with_few_iterations_or_high_noise(self) -> None:
        self.assertIs(judge(sample(*[2] * 4), 0.01, False), Rating.UNJUDGED)
        self.assertIs(judge(sample(*[2] * 11), 0.11, False), Rating.UNJUDGED)
        self.assertIs(judge(sample(2), 0.002, True), Rating.AHEAD)

    def test_the_headline_counts_only_what_was_judged(self) -> None:
        ratings = [Rating.AHEAD, Rating.UNJUDGED, Rating.BEHIND]
        result = Result("send", "Sending", comparisons=[Comparison("cpu", "other", 0.5, "", each) for each in ratings])
        headline = Report("", [result], {}).headline()
        self.assertIn("Of 2 comparisons Rill is ahead in 1, level in 0 and behind in 1.", headline)
        self.assertIn("Not judged: 1", headline)


class Targets(unittest.TestCase):
    def test_a_target_is_met_up_to_its_limit_and_missed_without_a_measurement(self) -> None:
        self.assertTrue(target("", 10, 10).is_met)
        self.assertFalse(target("", 10.01, 10).is_met)
        self.assertFalse(target("", None, 10).is_met)
        self.assertFalse(target("", float("nan"), 10).is_met)

    def test_a_target_that_cannot_be_judged_is_neither_met_nor_missed(self) -> None:
        result = Result("send", "Sending", targets=[target("", 99, 10, is_judged=False)])
        self.assertIsNone(result.targets[0].is_met)
        self.assertFalse(result.is_failed)


class Against(unittest.TestCase):
    def test_counts_are_compared_exactly(self) -> None:
        before = Old("", 1000, [], True)
        for now, rating in ((1001, Rating.LEVEL), (1030, Rating.BEHIND), (970, Rating.AHEAD)):
            self.assertIs(change(before, Old("", now, [], True))[1], rating, now)

    def test_timings_are_compared_if_the_iterations_of_both_runs_agree(self) -> None:
        def seconds(*values: float) -> Old:
            return Old("", sorted(values)[len(values) // 2], list(values), False)

        calm = seconds(1.0, 1.01, 1.02, 1.03, 1.04)
        self.assertIs(change(calm, seconds(1.2, 1.21, 1.22, 1.23, 1.24))[1], Rating.BEHIND)
        self.assertIs(change(calm, seconds(1.01, 1.02, 1.03, 1.04, 1.05))[1], Rating.LEVEL)
        self.assertIs(change(calm, seconds(1.2, 1.21))[1], Rating.UNJUDGED)
        self.assertIs(change(calm, seconds(1.0, 1.5, 2.0, 2.5, 3.0))[1], Rating.UNJUDGED)

    def test_the_figures_of_a_report_are_found_in_its_json(self) -> None:
        table = Table(["stage", "ns"], [["rtp"], ["rtp/parse", timed([3, 4, 5])]])
        report = Report("", [Result("throughput", "Stages", [table])], {"rill": "abc"})
        (key, found), *rest = figures(json.loads(report.json()))
        self.assertEqual((key, found.values, rest), (("throughput", "stage: rtp/parse", "ns"), [3, 4, 5], []))


if __name__ == "__main__":
    unittest.main()
