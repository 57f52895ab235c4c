import Glibc
import Testing

@testable import RillCore

/// A value for one thread at a time; run under the thread sanitizer by the test script.
@Suite struct ExclusiveUseConcurrencyTests {
    private final class Counter {
        var value = 0
        var isInUse = false
    }

    @Test func `Threads have it one after the other, and no lock is held meanwhile`() async {
        let counter = ExclusiveUse(Counter())
        let other = ExclusiveUse(0)
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<200 {
                        counter.use { counter in
                            #expect(!counter.isInUse)
                            counter.isInUse = true
                            // A nested call may use other values.
                            other.use { $0 += 1 }
                            counter.value += 1
                            counter.isInUse = false
                        }
                    }
                }
            }
        }
        #expect(counter.use { $0.value } == 800 && other.use { $0 } == 800)
    }

    @Test func `It is released after an error, with its changes`() throws {
        struct Failure: Error {}
        let text = ExclusiveUse("a")
        #expect(throws: Failure.self) {
            try text.use { text throws(Failure) in
                text += "b"
                throw Failure()
            }
        }
        #expect(text.use { $0 } == "ab")
        let nothing = ExclusiveUse(Int?.none)
        nothing.use { $0 = ($0 ?? 0) + 1 }
        #expect(nothing.use { $0 } == 1)
    }

    @Test func `A thread that would wait for itself is stopped`() async {
        await #expect(processExitsWith: .failure) {
            unsafe setenv("SWIFT_BACKTRACE", "enable=no", 1)
            let value = ExclusiveUse(1)
            value.use { _ in value.use { _ in } }
        }
    }
}
