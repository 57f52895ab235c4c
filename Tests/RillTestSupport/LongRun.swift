import Glibc

/// Whether tests that take minutes are asked for: `Scripts/test --all`.
package let isLongRun = unsafe getenv("RILL_LONG_TESTS") != nil

/// Says what was measured, where the tests are run for their figures.
package func note(_ figures: String) {
    if isLongRun { print(figures) }
}
