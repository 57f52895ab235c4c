import RillCore
import RillRooms
import RillTestSupport

/// Rooms whose clients are the test: requests go in, and what each channel was sent is kept.
final class Desk {
    let rooms: Rooms
    var now = MediaTime.zero
    /// The messages of each channel that were not examined yet.
    private var inboxes: [RoomChannelID: [RoomMessage]] = [:]
    private(set) var closed: Set<RoomChannelID> = []
    private(set) var media: [(change: RoomMediaChange, member: RoomMember)] = []
    private(set) var negotiations: [(offer: String, RoomNegotiation)] = []
    private(set) var checks: [RoomChannelID] = []
    private(set) var wakeTime = MediaTime.distantFuture
    /// What tokens allow; `nil` leaves checks to the test.
    var grants: [String: RoomGrant]? = [:]
    /// What is stored, and stays when another desk takes over.
    var tables = ChatTables()
    /// Whether the store fails.
    var storeError: RoomStoreError?
    /// Whether the test itself makes the store's answers: ``answerStore()``.
    var holdsStore = false
    private(set) var batches: [(changes: [ChatChange], work: RoomStoreWork)] = []
    private(set) var reads: [(read: ChatRead, work: RoomStoreWork)] = []
    private var lastID = 0

    init(_ settings: RoomSettings = RoomSettings(), wallClockAtZero: Int = 1_767_225_600_000) {
        rooms = Rooms(settings, sealer: TestSealer(), wallClockAtZero: wallClockAtZero, seed: 1)
    }

    func open() -> RoomChannelID { rooms.open(at: now) }

    /// Sends a request.
    ///
    /// - Returns: its number.
    @discardableResult
    func ask(_ command: RoomCommand, on channel: RoomChannelID) -> Int {
        lastID += 1
        rooms.handle(RoomRequest(command, id: lastID), from: channel, at: now)
        pump()
        return lastID
    }

    func pump() {
        while true {
            switch rooms.poll(at: now) {
            case .send(let message, let channels):
                for channel in channels { inboxes[channel, default: []].append(message) }
            case .close(let channel): closed.insert(channel)
            case .checkToken(let token, room: _, let channel):
                guard let grants else {
                    checks.append(channel)
                    continue
                }
                if let grant = token == nil ? RoomGrant() : grants[token ?? ""] {
                    rooms.grant(grant, to: channel, at: now)
                } else {
                    rooms.refuse(.unauthorized, for: channel, at: now)
                }
            case .negotiate(let offer, let negotiation): negotiations.append((offer, negotiation))
            case .media(let change, let member): media.append((change, member))
            case .store(let changes, let work):
                batches.append((changes, work))
                if !holdsStore { answerStore() }
            case .read(let read, let work):
                reads.append((read, work))
                if !holdsStore { answerStore() }
            case .wait(let time):
                wakeTime = time
                return
            }
        }
    }

    /// Answers what the store was asked for.
    func answerStore() {
        let (batches, reads) = (batches, reads)
        (self.batches, self.reads) = ([], [])
        for (changes, work) in batches {
            do throws(RoomStoreError) {
                if let storeError { throw storeError }
                rooms.stored(try tables.write(changes), for: work, at: now)
            } catch {
                rooms.storeFailed(error, for: work, at: now)
            }
        }
        for (read, work) in reads {
            if let storeError {
                rooms.storeFailed(storeError, for: work, at: now)
            } else {
                rooms.read(tables.perform(read), for: work, at: now)
            }
        }
    }

    /// Lets time pass. Those named send `alive` each second.
    func pass(_ duration: MediaDuration, alive: [RoomChannelID] = []) {
        let end = now + duration
        var beat = now + .seconds(1)
        while min(wakeTime, beat) <= end {
            now = max(now, min(wakeTime, beat))
            if now >= beat {
                for channel in alive {
                    rooms.handle(RoomRequest(.alive(number: 0, count: 0), id: 0), from: channel, at: now)
                }
                beat = beat + .seconds(1)
            }
            pump()
        }
        now = end
        pump()
    }

    /// What a channel was sent since the last time, but answers to `alive`.
    func take(_ channel: RoomChannelID) -> [RoomMessage] {
        (inboxes.removeValue(forKey: channel) ?? []).filter { $0 != .alive }
    }

    /// Forgets all messages and actions.
    func forget() { (inboxes, closed, media, negotiations) = ([:], [], [], []) }

    func forgetMessages() { inboxes = [:] }

    func takeMedia() -> [RoomMediaChange] {
        defer { media = [] }
        return media.map(\.change)
    }

    /// The events that a channel was sent since the last time.
    func events(_ channel: RoomChannelID) -> [RoomEvent] {
        take(channel).compactMap { message in
            if case .event(let event) = message { event.event } else { nil }
        }
    }

    /// Writes a chat message, and lets the store's interval pass.
    ///
    /// - Returns: the request's number.
    @discardableResult
    func write(_ text: String, key: String? = nil, on channel: RoomChannelID) -> Int {
        let id = ask(.chat(key: key ?? text, text: text), on: channel)
        pass(.milliseconds(5))
        return id
    }

    /// The error that a request gets; `nil` for none.
    func refusal(of command: RoomCommand, on channel: RoomChannelID) -> RoomError? {
        let id = ask(command, on: channel)
        if case .chat = command { pass(.milliseconds(5)) }
        for case .error(let error, to: id) in take(channel) { return error }
        return nil
    }

    /// Somebody comes in.
    func join(_ room: String = "lobby", token: String? = nil, name: String = "Anna", uid: UID? = nil) throws -> Guest {
        let channel = open()
        ask(.join(JoinRequest(room: room, token: token, name: name, uid: uid)), on: channel)
        return try guest(on: channel)
    }

    /// Somebody comes back.
    func resume(_ guest: Guest, number: Int? = nil, count: Int = 0) throws -> (guest: Guest, rest: [RoomMessage]) {
        let channel = open()
        ask(
            .resume(
                session: guest.welcome.session, epoch: guest.welcome.epoch, number: number ?? guest.welcome.number,
                count: count), on: channel)
        var messages = take(channel)
        guard case .welcome(let welcome, to: _) = messages.first else { throw TestFailure("\(messages)") }
        messages.removeFirst()
        return (Guest(channel: channel, welcome: welcome), messages)
    }

    func guest(on channel: RoomChannelID) throws -> Guest {
        let messages = take(channel)
        guard case .welcome(let welcome, to: _) = messages.first, messages.count == 1 else {
            throw TestFailure("\(messages)")
        }
        return Guest(channel: channel, welcome: welcome)
    }
}

/// Somebody in a room.
struct Guest {
    let channel: RoomChannelID
    let welcome: Welcome
    var uid: UID { welcome.uid }
}
