import Glibc

/// Whether tests that take minutes are asked for: `Scripts/test --all`.
package let isLongRun = unsafe getenv("RILL_LONG_TESTS") != nil
