import Rill
import RillCore
import RillThreads

/// What the machine itself takes to wake: a thread sleeps until a frame would be due and hands it to a second one, as
/// capture hands frames to an encoder, and neither does anything with it. What a call adds is seen beside that.
///
/// Each frame is a line, in nanoseconds of the call's clock:
///
///     bare DUE WOKEN HANDED
struct WakeProbe {
    let clock: LiveClock
    let frameCount: Int

    /// Half a minute: one frame of a hundred is late often enough by then to be judged.
    private static let mostFrames = 900

    private struct Wakes {
        /// Of the frame that the second thread has not yet taken.
        var handed: (due: MediaTime, woken: MediaTime)?
        var isOver = false
    }

    func run() -> [String] {
        let state = Monitor(Wakes())
        let lines = Monitor([String]())
        let (clock, count) = (clock, min(frameCount, WakeProbe.mostFrames))
        let second = NamedThread("rill-bare-2", turn: .short, on: .last) {
            while let (due, woken) = state.wait(for: WakeProbe.take) {
                let now = clock.now
                lines.withLock {
                    $0.append("bare \(due.nanoseconds) \(woken.nanoseconds) \(now.nanoseconds)")
                }
            }
        }
        let first = NamedThread("rill-bare-1", turn: .short, on: .allButLast) {
            let start = clock.now
            for index in 1...max(1, count) {
                let due = start + (HeldClipSource.frameRate.time(ofFrame: index) - .zero)
                _ = state.wait(untilMonotonic: clock.monotonic(due)) { _ in Void?.none }
                let woken = clock.now
                state.change { $0.handed = (due, woken) }
            }
            state.change { $0.isOver = true }
        }
        first.join()
        second.join()
        return lines.withLock { $0 }
    }

    /// The frame that was handed over; `.some(nil)` at the end, `nil` as long as there is nothing.
    private static func take(_ wakes: inout Wakes) -> (due: MediaTime, woken: MediaTime)?? {
        if let frame = wakes.handed.take() { return .some(frame) }
        return wakes.isOver ? .some(nil) : nil
    }
}
