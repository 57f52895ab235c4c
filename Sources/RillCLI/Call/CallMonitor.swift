import Rill
import RillCore
import RillPages
import RillThreads

/// Follows a call on the terminal to its end: a line of figures that changes each second, and lines of what happens.
final class CallMonitor: Sendable {
    /// How often figures are taken.
    static let interval = MediaDuration.milliseconds(500)

    private let state: Monitor<State>
    private let ending: Ending
    private let line = StatusLine()

    /// What ends a call besides Ctrl-C, and that the other side leaves.
    struct Ending {
        /// So long after it began.
        var limit: MediaDuration?
        /// So long after the other side was met.
        var limitOnceMet: MediaDuration?
        /// So long without anybody, since the beginning.
        var meetingLimit: MediaDuration?
        /// The end of what we send; and how long after it: requests for what was lost come until then.
        var afterSource: MediaDuration?
        /// The other side is silent for as long as ``VideoCallSettings/lostAfter``.
        var whenLost = false
        /// How long nothing new is decoded, once the other side has left or is lost: what has come is shown to its end, which takes as
        /// long as it is held back.
        var afterLeaving = MediaDuration.zero
    }

    private struct State {
        var log: CallLog
        var isOver = false
        /// When the call ends, as far as that is known.
        var end: MediaTime?
        var nextLine = 1.0
        /// Once the other side has left: when the call ends however much there is to be shown yet, and what was decoded so far.
        var leaving: (last: MediaTime, framesDecoded: Int)?
    }

    /// What a sender that was slower than its timestamps can have made a jitter buffer hold, and more.
    private static let longestPlayout = MediaDuration.seconds(20)

    init(_ log: CallLog, _ ending: Ending) {
        self.ending = ending
        state = Monitor(
            State(log: log, end: [ending.limit, ending.meetingLimit].compactMap(\.self).min().map { .zero + $0 }))
    }

    var log: CallLog { state.withLock { $0.log } }

    /// Follows the call until its time is over, the other side leaves, or somebody wants it to end; then ends it.
    func follow(_ call: VideoCall, isInterrupted: () -> Bool) {
        let clock = call.clock
        let task = Task { [events = call.events] in
            for await event in events { self.take(event, at: clock.now) }
            self.state.change { $0.isOver = true }
        }
        while !isInterrupted() {
            let now = clock.now
            guard state.withLock({ $0.end.map { now < $0 } ?? true }) else { break }
            let soon = clock.monotonic(now + .milliseconds(50))
            _ = state.wait(untilMonotonic: soon) { ($0.end ?? .distantFuture) <= now ? () : nil }
        }
        let statistics = call.statistics
        state.withLock { _ = $0.log.add(statistics) }
        Task { await call.end() }
        state.wait { $0.isOver ? () : nil }
        line.clear()
        withExtendedLifetime(task) {}
    }

    private func take(_ event: CallEvent, at time: MediaTime) {
        switch event {
        case .statistics(let statistics):
            let parts = state.withLock { state -> [String]? in
                prolong(&state, statistics, at: time)
                guard let sample = state.log.add(statistics), sample.time >= state.nextLine else { return nil }
                state.nextLine = sample.time + 1 - CallMonitor.interval.seconds / 2
                return state.log.parts(of: sample)
            }
            if let parts { line.show(parts) }
            return
        case .over: return
        case .joined: meet(at: time)
        case .left: leave(at: time)
        case .lost where ending.whenLost: leave(at: time)
        case .unprotectFailed: state.withLock { $0.log.isUnreadable = true }
        case .sourceEnded: if let rest = ending.afterSource { end(at: time + rest) }
        case .sourceFailed(let error):
            guard let rest = ending.afterSource else { break }
            state.withLock { $0.log.sourceFailure = "\(error)" }
            end(at: time + rest)
        case .sinkFailed where ending.whenLost: end(at: time)
        case .sendingFailed(let error), .transportFailed(let error):
            state.withLock { $0.log.failure = $0.log.failure ?? "\(error)" }
            end(at: time)
        default: break
        }
        say("\(event)", at: time.seconds)
    }

    private func meet(at time: MediaTime) {
        state.change { state in
            guard !state.log.hasMet else { return }
            state.log.hasMet = true
            state.end = [ending.limit.map { .zero + $0 }, ending.limitOnceMet.map { time + $0 }].compactMap(\.self)
                .min()
        }
    }

    private func leave(at time: MediaTime) {
        state.withLock { state in
            guard state.leaving == nil else { return }
            let last = min(time + CallMonitor.longestPlayout, state.end ?? .distantFuture)
            state.leaving = (last, CallMonitor.framesDecoded(state.log.last))
        }
        end(at: time + ending.afterLeaving)
    }

    private static func framesDecoded(_ statistics: CallStatistics?) -> Int {
        statistics?.participants.first?.shown.reduce(0) { $0 + $1.received.decoder.framesDecoded } ?? 0
    }

    /// Goes on while something new is decoded of what came before the other side left.
    private func prolong(_ state: inout State, _ statistics: CallStatistics, at time: MediaTime) {
        guard let (last, before) = state.leaving, ending.afterLeaving > .zero else { return }
        let count = CallMonitor.framesDecoded(statistics)
        guard count > before else { return }
        state.leaving?.framesDecoded = count
        if let end = state.end { state.end = max(end, min(last, time + ending.afterLeaving)) }
    }

    /// Ends the call then, at the latest.
    private func end(at time: MediaTime) {
        state.change { $0.end = min(time, $0.end ?? time) }
    }

    /// A line that stays.
    private func say(_ text: String, at time: Double) {
        state.withLock { $0.log.note(text, at: time) }
        line.clear()
        StandardError.print("\(Decimal.text(time, decimals: 2)) s  \(text)")
    }
}
