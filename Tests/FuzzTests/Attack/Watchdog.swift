import Foundation
import RillCore

/// Ends the process with the input in work if a poll does not return. A thread of its own looks at what the worker has
/// written down before each step.
///
/// What counts is the time of a core that the worker has spent on one step: on a busy machine a step takes longer by
/// the clock.
final class Watchdog: Sendable {
    /// What is in work.
    struct Work: Sendable {
        /// How the run is repeated alone.
        var run = ""
        var step = 0
        var isActive = false
        /// The newest inputs, the last one in work: plain packets, as they were before their protection.
        var inputs: [[UInt8]] = []

        static let keptInputCount = 8
    }

    /// Decides from what is seen in regular looks whether a step hangs.
    struct Judge {
        /// A step needs less than a millisecond.
        static let limit = 10.0
        private var seen: (run: String, step: Int, seconds: Double)?

        /// - Parameters:
        ///   - work: what is in work.
        ///   - seconds: the time of a core that the worker has spent in all.
        /// - Returns: whether the step has taken too long.
        mutating func isHanging(_ work: Work, _ seconds: Double) -> Bool {
            guard work.isActive else {
                seen = nil
                return false
            }
            guard let seen, seen.run == work.run, seen.step == work.step else {
                seen = (work.run, work.step, seconds)
                return false
            }
            return seconds - seen.seconds > Judge.limit
        }
    }

    private let work = Monitor(Work())
    private let isOver = Monitor(false)

    /// Watches the calling thread.
    init() {
        let worker = pthread_self()
        let thread = Thread { [self] in
            var judge = Judge()
            while !isOver.withLock({ $0 }) {
                let current = work.withLock { $0 }
                if judge.isHanging(current, Watchdog.seconds(of: worker)) { Watchdog.report(current, "hangs") }
                Thread.sleep(forTimeInterval: 0.25)
            }
        }
        thread.start()
    }

    private static func seconds(of thread: pthread_t) -> Double {
        var (clock, time) = (clockid_t(), timespec())
        guard unsafe pthread_getcpuclockid(thread, &clock) == 0, unsafe clock_gettime(clock, &time) == 0 else {
            return 0
        }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Notes which step begins, and its inputs.
    func begin(_ run: String, _ step: Int, _ inputs: [[UInt8]]) {
        work.withLock { work in
            if work.run != run { work = Work(run: run) }
            (work.step, work.isActive) = (step, true)
            work.inputs = (work.inputs + inputs).suffix(Work.keptInputCount)
        }
    }

    func rest() { work.withLock { $0.isActive = false } }

    func end() { isOver.withLock { $0 = true } }

    /// A failure that ends the run: a bound on actions or memory was exceeded.
    func fail(_ reason: String) -> Never { Watchdog.report(work.withLock { $0 }, reason) }

    private static func report(_ work: Work, _ reason: String) -> Never {
        let inputs = work.inputs.map { "  " + $0.map { String(format: "%02x", $0) }.joined() }
        let text = """
            Attack \(work.run), step \(work.step): \(reason). Repeat it with RILL_ATTACK="\(work.run)". \
            The newest inputs, before their protection:
            \(inputs.joined(separator: "\n"))

            """
        FileHandle.standardError.write(Data(text.utf8))
        abort()
    }
}
