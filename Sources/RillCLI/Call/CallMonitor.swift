import Glibc
import Rill
import RillCore
import RillPages
import RillThreads

/// Follows a call on the terminal to its end: a line of figures that changes each second, and lines of what happens.
final class CallMonitor: Sendable {
    /// How often figures are taken.
    static let interval = MediaDuration.milliseconds(500)

    private let state: Monitor<State>
    private let limit: MediaDuration?
    private let isTerminal = isatty(STDERR_FILENO) == 1

    private struct State {
        var log: CallLog
        var isOver = false
        var isEnding = false
        var nextLine = 1.0
    }

    init(_ layers: [LayerSettings], limit: MediaDuration?) {
        state = Monitor(State(log: CallLog(layers: layers.map(\.rid.description))))
        self.limit = limit
    }

    var log: CallLog { state.withLock { $0.log } }

    /// Follows the call until its time is over, the other side leaves, or somebody wants it to end; then ends it.
    func follow(_ call: VideoCall, isInterrupted: () -> Bool) {
        let clock = call.clock
        let task = Task { [events = call.events] in
            for await event in events { self.take(event, at: clock.now.seconds) }
            self.state.change { $0.isOver = true }
        }
        while !state.withLock({ $0.isEnding }), !isInterrupted(),
            clock.now < MediaTime.zero + (limit ?? .seconds(1 << 30))
        {
            let soon = clock.now + .milliseconds(50)
            _ = state.wait(untilMonotonic: clock.monotonic(soon)) { $0.isEnding ? () : nil }
        }
        let statistics = call.statistics
        state.withLock { _ = $0.log.add(statistics) }
        Task { await call.end() }
        state.wait { $0.isOver ? () : nil }
        clearLine()
        withExtendedLifetime(task) {}
    }

    private func take(_ event: CallEvent, at time: Double) {
        switch event {
        case .statistics(let statistics):
            let line = state.withLock { state -> String? in
                guard let sample = state.log.add(statistics), sample.time >= state.nextLine else { return nil }
                state.nextLine = sample.time + 1 - CallMonitor.interval.seconds / 2
                return sample.line
            }
            if let line { show(line) }
            return
        case .over: return
        case .joined: state.withLock { $0.log.hasMet = true }
        case .left: end(because: nil)
        case .sendingFailed(let error), .transportFailed(let error): end(because: "\(error)")
        default: break
        }
        say("\(event)", at: time)
    }

    private func end(because failure: String?) {
        state.change { state in
            state.isEnding = true
            state.log.failure = state.log.failure ?? failure
        }
    }

    /// A line that stays.
    private func say(_ text: String, at time: Double) {
        state.withLock { $0.log.note(text, at: time) }
        clearLine()
        StandardError.print("\(Decimal.text(time, decimals: 2)) s  \(text)")
    }

    /// A line that gives way to the next one; where there is no terminal, they stand one below the other.
    private func show(_ line: String) {
        StandardError.write(isTerminal ? "\r\u{1B}[K\(line)" : line + "\n")
    }

    private func clearLine() { if isTerminal { StandardError.write("\r\u{1B}[K") } }
}
