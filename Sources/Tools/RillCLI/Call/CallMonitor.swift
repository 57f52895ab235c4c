import Rill
import RillCore
import RillThreads

/// Follows a call on the terminal to its end: a status line that is updated each second, and a line for each event.
final class CallMonitor: Sendable {
    /// The sampling interval.
    static let interval = MediaDuration.milliseconds(500)

    private let state: Monitor<State>
    private let ending: Ending
    private let line = StatusLine()

    /// The conditions that end a call, besides Ctrl-C and the leaving of the other side.
    struct Ending {
        /// The time since the start of the call.
        var limit: MediaDuration?
        /// The time since the other side joined.
        var limitOnceMet: MediaDuration?
        /// The time to wait for the other side, since the start of the call.
        var meetingLimit: MediaDuration?
        /// The time since the end of the source, during which NACKs are still answered.
        var afterSource: MediaDuration?
        /// Whether the call ends when the other side is silent for ``/RillSession/SilenceTimeouts/lost``.
        var whenLost = false
        /// The time without a newly decoded frame after the other side has left or is lost. Until then, buffered frames
        /// are still shown.
        var afterLeaving = MediaDuration.zero
        /// Whether the other side may leave and come back, as a server that is started again.
        var survivesLeaving = false
    }

    private struct State {
        var log: CallLog
        var isOver = false
        /// When the call ends, if known.
        var end: MediaTime?
        var nextLine = 1.0
        /// Set when the other side has left: the latest end of the call, and the number of frames decoded so far.
        var leaving: (last: MediaTime, framesDecoded: Int)?
    }

    /// An upper bound on the time in a jitter buffer, even for a sender that was slower than its timestamps.
    private static let longestPlayout = MediaDuration.seconds(20)

    init(_ log: CallLog, _ ending: Ending) {
        self.ending = ending
        state = Monitor(
            State(log: log, end: [ending.limit, ending.meetingLimit].compactMap(\.self).min().map { .zero + $0 }))
    }

    var log: CallLog { state.withLock { $0.log } }

    /// Follows the call until its time is over, the other side leaves, or the user interrupts it; then ends it.
    ///
    /// - Parameters:
    ///   - call: the call.
    ///   - beforeEnd: is called when it is about to end.
    ///   - isInterrupted: whether it is to end now.
    func follow(_ call: VideoCall, beforeEnd: () -> Void = {}, isInterrupted: () -> Bool) {
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
        beforeEnd()
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
        // A face that moves changes many times a second.
        case .over, .facesChanged: return
        case .joined: meet(at: time)
        case .left where !ending.survivesLeaving: leave(at: time)
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

    /// Prints a line of somebody else's, and adds it to the log. From any thread.
    func note(_ text: String?, at time: MediaTime) { if let text { say(text, at: time.seconds) } }

    /// Names the streams of the reports. From any thread.
    func rename(_ titles: [String]) { state.withLock { $0.log.titles = titles } }

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

    /// Extends the call while buffered frames are still decoded after the other side has left.
    private func prolong(_ state: inout State, _ statistics: CallStatistics, at time: MediaTime) {
        guard let (last, before) = state.leaving, ending.afterLeaving > .zero else { return }
        let count = CallMonitor.framesDecoded(statistics)
        guard count > before else { return }
        state.leaving?.framesDecoded = count
        if let end = state.end { state.end = max(end, min(last, time + ending.afterLeaving)) }
    }

    /// Ends the call at that time at the latest.
    private func end(at time: MediaTime) {
        state.change { $0.end = min(time, $0.end ?? time) }
    }

    /// Prints a permanent line, and adds it to the log.
    private func say(_ text: String, at time: Double) {
        state.withLock { $0.log.note(text, at: time) }
        line.clear()
        StandardError.print("\(Decimal.text(time, decimals: 2)) s  \(text)")
    }
}
