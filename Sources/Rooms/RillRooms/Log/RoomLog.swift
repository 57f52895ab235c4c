import RillCore

/// The latest events of a room, for those who come back: at most so many, and none older than a time.
struct RoomLog {
    private let countLimit: Int
    private let ageLimit: MediaDuration
    private var events: [(event: NumberedEvent, time: MediaTime)] = []
    /// How many of `events` are dropped already; they are removed together, so that each costs little.
    private var droppedCount = 0
    /// The number of the last event; 0 before the first one.
    private(set) var lastNumber = 0

    init(countLimit: Int, ageLimit: MediaDuration) { (self.countLimit, self.ageLimit) = (countLimit, ageLimit) }

    /// How many events there are.
    var count: Int { events.count - droppedCount }

    /// Adds an event.
    mutating func append(_ event: RoomEvent, wallTime: Int, at now: MediaTime) -> NumberedEvent {
        lastNumber += 1
        let numbered = NumberedEvent(event, number: lastNumber, time: wallTime)
        events.append((numbered, now))
        drop(before: now)
        return numbered
    }

    /// The events after a number.
    ///
    /// - Returns: `nil` if some of them are not kept any more, or never were.
    mutating func events(after number: Int, at now: MediaTime) -> [NumberedEvent]? {
        drop(before: now)
        guard number <= lastNumber, number >= lastNumber - count else { return nil }
        return events.suffix(lastNumber - number).map(\.event)
    }

    private mutating func drop(before now: MediaTime) {
        while droppedCount < events.count, count > countLimit || now - events[droppedCount].time > ageLimit {
            droppedCount += 1
        }
        guard droppedCount > 64, droppedCount * 2 > events.count else { return }
        events.removeFirst(droppedCount)
        droppedCount = 0
    }
}
