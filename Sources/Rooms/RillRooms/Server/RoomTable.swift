import RillCore

/// The rooms of a server by name, their epochs, and the numbers of sessions.
struct RoomTable {
    private let settings: RoomSettings
    private let outbox: Outbox
    private let store: StoreQueue
    private let counts: SessionCounts
    private let sealer: any SessionSealer
    /// The wall clock at the clock's zero, in milliseconds since 1970.
    private let wallClockAtZero: Int
    private var rooms: [String: Room] = [:]
    private var generator: SeededGenerator
    /// When the server began, and the smallest epoch that it gives.
    private var startTime: MediaTime?
    private var firstEpoch = Int.max
    private var lastEpoch = 0
    private var lastSession = 0

    init(
        _ settings: RoomSettings, _ outbox: Outbox, _ store: StoreQueue, _ counts: SessionCounts,
        _ sealer: any SessionSealer, wallClockAtZero: Int, seed: UInt64
    ) {
        (self.settings, self.outbox, self.store, self.counts) = (settings, outbox, store, counts)
        self.sealer = sealer
        self.wallClockAtZero = wallClockAtZero
        generator = SeededGenerator(seed: seed)
    }

    subscript(name: String) -> Room? { rooms[name] }
    subscript(id: RoomMember) -> Member? { rooms[id.room]?[id.uid].flatMap { $0.id == id ? $0 : nil } }
    var names: [String] { rooms.keys.sorted() }
    var all: some Collection<Room> { rooms.values }
    var count: Int { rooms.count }

    /// The wall clock, in milliseconds since 1970.
    func wallTime(at now: MediaTime) -> Int { wallClockAtZero + Int(now.nanoseconds / 1_000_000) }

    mutating func start(at now: MediaTime) {
        guard startTime == nil else { return }
        startTime = now
        firstEpoch = wallTime(at: now)
        lastEpoch = firstEpoch - 1
    }

    /// The room of a name, which is made if there is none.
    ///
    /// - Throws: `tooManyRooms`.
    mutating func room(_ name: String, at now: MediaTime) throws(RoomError) -> Room {
        if let room = rooms[name] { return room }
        if rooms.count >= settings.roomLimit {
            guard let oldest = rooms.values.filter(\.isEmpty).min(by: { $0.emptyTime < $1.emptyTime }) else {
                throw .tooManyRooms(limit: settings.roomLimit)
            }
            rooms[oldest.name] = nil
        }
        // By the clock, so that a server that restarts has other ones.
        lastEpoch = max(lastEpoch + 1, wallTime(at: now))
        let room = Room(
            name, epoch: lastEpoch, settings, outbox, counts, sealer, wallClockAtZero: wallClockAtZero, at: now)
        rooms[name] = room
        store.begin(room, at: now)
        return room
    }

    mutating func remove(_ room: Room) { rooms[room.name] = nil }

    /// Whether a session of this epoch may come back, though this server never saw it: one of the server before, soon
    /// after the start.
    func isOfServerBefore(epoch: Int, at now: MediaTime) -> Bool {
        guard let startTime else { return false }
        return epoch < firstEpoch && now - startTime <= settings.returnsWithin
    }

    /// A number for a session, larger than those before, of earlier servers too.
    mutating func nextSession(at now: MediaTime) -> Int {
        lastSession = max(lastSession + 1, wallTime(at: now))
        return lastSession
    }

    /// A number for a participant.
    mutating func freeNumber(in room: Room) -> UID {
        while true {
            // Small enough to be read aloud, many enough to be free after a restart, whose former members return.
            let uid = UID(rawValue: UInt32(truncatingIfNeeded: generator.next() >> 40))
            if room.isFree(uid, for: nil) { return uid }
        }
    }

    /// Does what is due, and removes rooms that nobody is in or comes back to.
    mutating func check(at now: MediaTime) {
        for room in rooms.values.filter({ $0.wakeTime <= now }).sorted(by: { $0.epoch < $1.epoch }) {
            room.check(at: now)
        }
        for (name, room) in rooms where room.isAbandoned { rooms[name] = nil }
    }

    /// The server was late by this: nobody was heard meanwhile.
    func excuse(_ lateness: MediaDuration, at now: MediaTime) {
        for room in rooms.values { room.excuse(lateness, at: now) }
    }

    var wakeTime: MediaTime { rooms.values.reduce(.distantFuture) { min($0, $1.wakeTime) } }

    /// Adds its counts.
    func count(into statistics: inout RoomStatistics) {
        statistics.roomCount = rooms.count
        statistics.memberCount = rooms.values.reduce(0) { $0 + $1.memberCount }
        statistics.awayCount = rooms.values.reduce(0) { $0 + $1.awayCount }
        statistics.entryCount += rooms.values.reduce(rooms.count) { $0 + $1.entryCount }
    }
}
