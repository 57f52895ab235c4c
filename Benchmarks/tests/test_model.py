"""The predicted cost of many streams from the costs of streams of one kind."""

import random
import unittest

from bench.jobs.scale import find_limit, is_held
from bench.model import CapacityModel, Load, Measurement, fit_sum, memory_row, non_negative_fit

TRUE = CapacityModel((0.002, 2e-5, 3e-9, 9e-9), 0.5, -0.3, 2)
LOADS = [
    Load(1, 0, 130, 2.7e7, 0), Load(4, 0, 520, 1.1e8, 0), Load(8, 0, 1040, 2.2e8, 0), Load(1, 0, 60, 6.9e6, 0), Load(9, 0, 540, 6.2e7, 0),
    Load(0, 24, 200, 0, 2.3e6), Load(0, 24, 600, 0, 2.3e6), Load(0, 24, 200, 0, 6.9e6), Load(0, 96, 800, 0, 9.2e6),
]


def measured(load: Load) -> Measurement:
    return Measurement(load, TRUE.cpu(load))


class Models(unittest.TestCase):
    def test_the_fit_recovers_the_costs(self) -> None:
        found = CapacityModel.fit([measured(load) for load in LOADS], 2)
        for cost, true in zip(found.costs, TRUE.costs):
            self.assertAlmostEqual(cost / true, 1, places=3)
        mixture = Load(3, 3, 420, 8.3e7, 2.9e5)
        self.assertAlmostEqual(found.cpu(mixture) / TRUE.cpu(mixture), 1, places=3)

    def test_noise_of_five_percent_changes_predictions_by_less_than_ten(self) -> None:
        chance = random.Random(1)
        noisy = [Measurement(load, TRUE.cpu(load) * chance.uniform(0.95, 1.05)) for load in LOADS]
        mixture = Load(3, 3, 420, 8.3e7, 2.9e5)
        self.assertLess(abs(CapacityModel.fit(noisy, 2).cpu(mixture) / TRUE.cpu(mixture) - 1), 0.1)

    def test_a_load_beyond_the_threads_does_not_fit(self) -> None:
        self.assertTrue(TRUE.holds(LOADS[0]))
        self.assertFalse(TRUE.holds(LOADS[0] * 40))
        self.assertFalse(TRUE.holds(LOADS[0], feeder=1.9))

    def test_no_cost_is_negative(self) -> None:
        # A negative value for the second column would fit best.
        unknowns, error = non_negative_fit([[1, 1], [1, 2], [1, 3]])
        self.assertTrue(all(value >= 0 for value in unknowns))
        unknowns, error = non_negative_fit([[2, 3], [1, 5]])
        self.assertAlmostEqual(error, 0)
        self.assertAlmostEqual(2 * unknowns[0] + 3 * unknowns[1], 1)

    def test_memory_is_the_sum_of_the_streams(self) -> None:
        bytes_of = [10e6 + 2e6 * load.high + 1e5 * load.low + 0.5 * load.high_pixels for load in LOADS]
        for cost, true in zip(fit_sum([measured(load) for load in LOADS], memory_row, bytes_of), (10e6, 2e6, 1e5, 0.5)):
            self.assertAlmostEqual(cost / true, 1, places=6)
        self.assertIsNone(fit_sum([measured(LOADS[0])], memory_row, [None]))

    def test_the_minimum_of_the_rounds_counts_without_those_that_dropped_pictures(self) -> None:
        rounds = [Measurement(LOADS[0], cpu, in_time=share) for cpu, share in ((0.3, 1), (0.2, 1), (0.1, 0.5))]
        middle = Measurement.middle(rounds)
        self.assertEqual((middle.cpu, middle.least_cpu, middle.is_real_time), (0.2, 0.2, True))
        self.assertAlmostEqual(middle.spread(lambda each: each.cpu), 1)


class Climbing(unittest.TestCase):
    def test_the_limit_is_found_within_ten_percent(self) -> None:
        for limit in (0, 1, 7, 19, 100, 999):
            tried: list[int] = []

            def holds(number: int) -> bool:
                tried.append(number)
                return number <= limit

            find_limit([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024], holds)
            held = max((number for number in tried if number <= limit), default=0)
            lost = min(number for number in tried if number > limit)
            self.assertLessEqual(lost - held, max(1, held // 10), limit)

    def test_a_load_that_was_late_on_an_idle_machine_is_tried_again(self) -> None:
        late, busy = Measurement(LOADS[0], 0.1, in_time=0.5), Measurement(LOADS[0], 1.5, in_time=0.5)
        tried = iter([late, late, Measurement(LOADS[0], 0.1)])
        self.assertTrue(is_held(2, lambda: next(tried)))
        tried = iter([busy])
        self.assertFalse(is_held(2, lambda: next(tried)))


if __name__ == "__main__":
    unittest.main()
