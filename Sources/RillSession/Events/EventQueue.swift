/// Events that wait to be told.
///
/// Who never asks must not be able to fill memory: of what comes with every report and request, or as often as the other side likes,
/// beyond ``limit`` the new is dropped and counted; what happens to the call as a whole is always kept, and bounded by its rarity: an interruption and
/// what follows it take seconds each, a stream's events are bounded by what the app does with streams.
struct EventQueue {
    private var events: [SessionEvent] = []
    private var first = 0
    private(set) var dropped = 0

    static let limit = 1024

    var isEmpty: Bool { first == events.count }

    mutating func append(_ event: SessionEvent) {
        guard events.count - first < EventQueue.limit || event.isAboutTheCall else {
            dropped += 1
            return
        }
        events.append(event)
    }

    mutating func next() -> SessionEvent? {
        guard first < events.count else { return nil }
        defer {
            first += 1
            if first == events.count {
                events.removeAll(keepingCapacity: true)
                first = 0
            }
        }
        return events[first]
    }
}

extension SessionEvent {
    fileprivate var isAboutTheCall: Bool {
        switch self {
        case .connected, .interrupted, .lost, .reconnected, .left, .restarted, .firstPicture, .collision:
            true
        default: false
        }
    }
}
