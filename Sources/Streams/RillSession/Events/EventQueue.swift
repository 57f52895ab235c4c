/// Events that wait to be polled.
///
/// A caller that never polls must not let memory grow without bound. Events that come with every report or request,
/// or as often as the remote side likes, are limited: beyond ``limit`` new ones are dropped and counted. Events about
/// the call as a whole are always kept, and are rare by nature. An interruption and its follow-up take seconds each;
/// a stream's events are bounded by what the app does with streams.
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
        case .connected, .interrupted, .lost, .reconnected, .left, .restarted, .failed, .firstPicture, .collision,
            .sendingStopped, .sendingResumed:
            true
        default: false
        }
    }
}
