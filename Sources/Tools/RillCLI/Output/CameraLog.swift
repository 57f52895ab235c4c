import Rill
import RillCapture
import RillCore
import RillThreads

/// Prints the events of a camera on standard error, once it is open; until then, the thrown error reports problems. Any
/// thread.
final class CameraLog: Sendable {
    private let selection: CameraSelection
    private let clock = LiveClock()
    private let state = Monitor(State())

    private struct State {
        /// The events before ``begin()``; `nil` afterwards.
        var waiting: [CameraEvent]? = []
        var lines = CameraLines()
    }

    init(_ selection: CameraSelection) {
        self.selection = selection
    }

    func note(_ event: CameraEvent) {
        let lines = state.withLock { state -> [String] in
            guard state.waiting == nil else {
                state.waiting?.append(event)
                return []
            }
            return state.lines.add(event, at: clock.now)
        }
        say(lines)
    }

    /// Prints the events so far, and from now on each event when it occurs.
    func begin() {
        let lines = state.withLock { state in
            defer { state.waiting = nil }
            return (state.waiting ?? []).flatMap { state.lines.add($0, at: clock.now) }
        }
        say(lines)
    }

    private func say(_ lines: [String]) { for line in lines { StandardError.print("\(selection): \(line)") } }
}

/// The lines about a camera's events. A camera may damage each of its frames: the first is reported, then their number
/// each ten seconds, and before the next other event. A pure value: time is an argument.
struct CameraLines: Sendable {
    /// When damaged frames were last reported; `nil` before the first.
    private var lastReport: MediaTime?
    /// Those since then.
    private var count = 0
    private var newest: FrameFault?

    /// The time between two reports of damaged frames.
    static let interval = MediaDuration.seconds(10)

    /// Returns the lines for an event.
    mutating func add(_ event: CameraEvent, at now: MediaTime) -> [String] {
        guard case .errorFrame(let fault) = event else { return rest(at: now) + ["\(event)"] }
        guard let lastReport else {
            self.lastReport = now
            return ["\(event)"]
        }
        count += 1
        newest = fault
        return now >= lastReport + Self.interval ? rest(at: now) : []
    }

    /// Returns a line about the damaged frames since the last one, if there are any.
    private mutating func rest(at now: MediaTime) -> [String] {
        guard count > 0, let newest, let last = lastReport else { return [] }
        let line = "dropped \(count) more frame\(count == 1 ? "" : "s") in \(now - last); the last: \(newest)"
        (lastReport, count) = (now, 0)
        return [line]
    }
}
