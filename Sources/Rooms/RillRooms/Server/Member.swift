import RillCore

/// Who somebody is in a room, over all sessions: a newer session takes the place of an older one.
enum Person: Equatable {
    /// Somebody whose tokens have an identity.
    case identity(String)
    /// A guest, by the number of the first session.
    case guest(Int)

    var identity: String? { if case .identity(let identity) = self { identity } else { nil } }

    /// The name as an author of messages.
    var author: String {
        switch self {
        case .identity(let identity): identity
        case .guest(let number): "\(Self.guestPrefix)\(number)"
        }
    }

    /// What the name of a guest as an author begins with, and no identity does.
    static let guestPrefix = "guest:"

    /// The number of a guest's first session; `nil` if that is this one.
    func guest(in session: Int) -> Int? {
        if case .guest(let number) = self, number != session { number } else { nil }
    }
}

/// A member of a room, or somebody who is out and may come back.
final class Member {
    /// Its session in the room.
    let id: RoomMember
    let person: Person
    /// Whom its session counts for.
    var holder = SessionHolder(nil, token: nil, nil)
    /// The highest role that it may take by itself.
    var grantedRole: Role
    /// When its token ends, in seconds since 1970.
    var expires: Int?
    /// Its channel; `nil` while it has none.
    var channel: Channel?
    /// When something was received from it for the last time.
    var heardTime: MediaTime
    /// Whether the server has media of it.
    var hasMedia = false
    /// What its slots show.
    private(set) var slots: [SlotState] = []
    /// The layers of it that nobody wants.
    private(set) var unwanted: [LayerInterest] = []
    private(set) var wants: [Want] = []
    /// The sections that it named for what it publishes.
    var mids: [MediaKind: String] = [:]
    /// What it publishes of which a picture came whose size nothing tells.
    var unsized: Set<MediaKind> = []
    var mailbox = Mailbox()
    var sending: DataQuota
    var chat: MemberChat

    init(_ id: RoomMember, _ person: Person, _ settings: RoomSettings, at now: MediaTime) {
        (self.id, self.person, heardTime) = (id, person, now)
        grantedRole = .viewer
        sending = DataQuota(settings)
        chat = MemberChat(settings)
    }

    /// Sets what a slot shows.
    func set(_ slot: SlotState) {
        slots.removeAll { $0.mid == slot.mid }
        if slot.uid != nil { slots.append(slot) }
    }

    /// Sets whether somebody wants a layer of it.
    func set(_ interest: LayerInterest) {
        unwanted.removeAll { $0.kind == interest.kind && $0.layer == interest.layer }
        if !interest.isWanted { unwanted.append(interest) }
    }

    /// The server has no media of it any more.
    func loseMedia() { (hasMedia, unwanted) = (false, []) }

    /// Sets what it wants. It counts for those who are not in the room when they come, or come back; of too many the
    /// first of those is forgotten.
    ///
    /// - Throws: `tooLarge`.
    func set(_ want: Want, limit: Int, in room: RoomState) throws(RoomError) {
        if let index = wants.firstIndex(where: { $0.uid == want.uid && $0.kind == want.kind }) {
            wants[index] = want
            return
        }
        if wants.count >= limit {
            guard let index = wants.firstIndex(where: { room[$0.uid] == nil }) else {
                throw .tooLarge(field: "wants", limit: limit)
            }
            wants.remove(at: index)
        }
        wants.append(want)
    }

    /// Forgets what it had while it was in the room.
    func leave() {
        (slots, wants, mids) = ([], [], [:])
        loseMedia()
    }

    /// The entries of its tables.
    var entryCount: Int { slots.count + unwanted.count + wants.count + mids.count + mailbox.count }
}

/// App data for a member, kept until it has acknowledged it.
struct Mailbox {
    /// The number of the last message.
    private(set) var lastCount = 0
    private var messages: [RoomMessage] = []
    private var byteCount = 0
    private var missed = 0

    var count: Int { messages.count }

    /// Adds a message.
    ///
    /// - Returns: it, with its number; `nil` if there is no place.
    mutating func add(_ text: String, _ sequence: Int, from uid: UID, byteLimit: Int) -> RoomMessage? {
        guard byteCount + text.utf8.count <= byteLimit else { return nil }
        lastCount += 1
        let message = RoomMessage.data(count: lastCount, from: uid, sequence: sequence, text: text, missed: missed)
        missed = 0
        byteCount += text.utf8.count
        messages.append(message)
        return message
    }

    /// Counts a message to all for which there was no place.
    mutating func miss() { missed += 1 }

    /// Forgets messages up to a number.
    mutating func acknowledge(_ count: Int) {
        let done = max(min(max(count, 0), lastCount) - (lastCount - messages.count), 0)
        for case .data(count: _, from: _, sequence: _, let text, missed: _) in messages.prefix(done) {
            byteCount -= text.utf8.count
        }
        messages.removeFirst(done)
    }

    /// The messages after a number that is acknowledged thereby.
    mutating func messages(after count: Int) -> [RoomMessage] {
        acknowledge(count)
        return messages
    }
}

/// How much app data a member may send.
struct DataQuota {
    private var messages: TokenBucket
    private var bytes: TokenBucket
    private let rate: Int
    private let byteRate: Int
    /// The number of the last message that was taken.
    private(set) var lastCount = 0
    private(set) var missed = 0

    init(_ settings: RoomSettings) {
        (rate, byteRate) = (settings.dataRate, settings.dataByteRate)
        messages = TokenBucket(perSecond: Double(rate))
        bytes = TokenBucket(perSecond: Double(byteRate))
    }

    /// Checks whether a message may be sent now.
    ///
    /// - Throws: `tooFast`.
    mutating func check(byteCount: Int, at now: MediaTime) throws(RoomError) {
        let isWithin = messages.has(1, at: now)
        guard bytes.has(Double(byteCount), at: now), isWithin else {
            missed += 1
            let wait = max(1_000 / rate, byteCount * 1_000 / byteRate) + 1
            throw .tooFast(limit: rate, retryAfter: .milliseconds(wait), missed: missed)
        }
    }

    /// Counts a message that the receiver has no place for.
    mutating func miss() -> Int {
        missed += 1
        return missed
    }

    /// Takes a message.
    mutating func take(count: Int, byteCount: Int) {
        messages.take(1)
        bytes.take(Double(byteCount))
        (lastCount, missed) = (count, 0)
    }
}

/// Why sessions ended that do not come back: the latest ones, for as long as they would try.
struct EndedSessions {
    private var sessions: [(number: Int, reason: EndReason, time: MediaTime)] = []
    private static let limit = 256

    var count: Int { sessions.count }

    subscript(number: Int) -> EndReason? { sessions.last { $0.number == number }?.reason }

    mutating func add(_ number: Int, _ reason: EndReason, _ lifetime: MediaDuration, at now: MediaTime) {
        sessions.removeAll { now - $0.time > lifetime }
        if sessions.count >= Self.limit { sessions.removeFirst() }
        sessions.append((number, reason, now))
    }
}
