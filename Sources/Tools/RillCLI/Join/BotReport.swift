#if Server
import RillCore
import RillRooms

/// What happened to a bot, counted.
struct BotLog {
    var channels = 0
    /// How often it came in as somebody new, and how often it came back.
    private(set) var joins = 0
    private(set) var resumes = 0
    var snapshots = 0
    var events = 0
    var slotChanges = 0
    /// How often it went over from high to low or back.
    var switches = 0
    var pathLosses = 0
    private(set) var errors: [String: Int] = [:]
    private(set) var returns: [Return] = []
    /// From a publication, or from the own arrival if that was later, to its first picture.
    private(set) var firstPictures: [(uid: UID, delay: MediaDuration)] = []
    /// What was known at the end.
    var missing: [String]?
    var participants: [String]?
    private var awaited: [UID: MediaTime] = [:]
    private static let limit = 1000

    /// A channel that was lost, and what came after it.
    struct Return {
        let lost: MediaTime
        var entered: MediaTime?
        var picture: MediaTime?
    }

    mutating func note(error: RoomError) { note(error: "\(error.code.rawValue) \(error.code)") }

    mutating func note(error: String) {
        guard errors[error] != nil || errors.count < 64 else { return }
        errors[error, default: 0] += 1
    }

    mutating func entered(isFresh: Bool, at now: MediaTime) {
        if isFresh { joins += 1 } else { resumes += 1 }
        guard let last = returns.indices.last, returns[last].entered == nil else { return }
        returns[last].entered = now
    }

    /// The channel is lost, if it was not before.
    mutating func interrupted(at now: MediaTime) {
        guard joins > 0, returns.last.map({ $0.entered != nil }) ?? true, returns.count < Self.limit else { return }
        returns.append(Return(lost: now))
    }

    mutating func published(_ uid: UID, at now: MediaTime) { awaited[uid] = now }

    mutating func picture(of uid: UID?, at now: MediaTime) {
        if let last = returns.indices.last, returns[last].entered != nil, returns[last].picture == nil {
            returns[last].picture = now
        }
        guard let uid, let time = awaited.removeValue(forKey: uid), firstPictures.count < Self.limit else { return }
        firstPictures.append((uid, now - time))
    }
}

/// What a bot saw, as JSON.
struct BotReport: Encodable {
    struct Received: Encodable {
        let uid: UInt32
        let name: String?
        let kind: MediaKind
        let layer: String
        let frames: Int
    }

    struct Return: Encodable {
        /// Seconds after the bot began.
        let lost: Double
        /// Until it was in again, and until the next picture came; in milliseconds.
        let entered: Double?
        let picture: Double?
    }

    let name: String
    let uid: UInt32?
    let status: String
    let channels: Int
    let joins: Int
    let resumes: Int
    let snapshots: Int
    let events: Int
    let duplicates: Int
    let gaps: Int
    let offers: Int
    let restarts: Int
    let pathLosses: Int
    let slotChanges: Int
    let switches: Int
    /// Key frames that came, and could be decoded.
    let keyFrames: Int
    let sent: [String: Int]
    let leftOut: Int
    let keyFrameRequests: Int
    let received: [Received]
    let soundSent: Int
    let soundReceived: Int
    let undecodable: Int
    /// Frames that were opened and not; absent without encryption.
    let opened: BotFrames.Opened?
    /// Pictures that were decoded, and frames that a decoder refused.
    let decoded: Int
    let refused: Int
    /// Key frames that it requested.
    let requests: Int
    let freezes: Int
    let frozenMilliseconds: Double
    let firstPictureMilliseconds: [Double]
    let returns: [Return]
    let participants: [String]
    let missing: [String]
    let errors: [String: Int]

    init(
        _ name: String, _ client: RoomClient, _ media: BotMedia, _ log: BotLog, missing: [String],
        since start: MediaTime
    ) {
        let room = client.room
        (self.name, uid, status) = (name, client.uid?.rawValue, client.status.word)
        (channels, joins, resumes, snapshots) = (log.channels, log.joins, log.resumes, log.snapshots)
        (events, duplicates, gaps) = (log.events, client.duplicateCount, client.gapCount)
        (offers, restarts, pathLosses) = (media.counts.offers, media.counts.restarts, log.pathLosses)
        (slotChanges, switches, keyFrames) = (log.slotChanges, log.switches, media.slots.keyFrames)
        sent = Dictionary(uniqueKeysWithValues: media.counts.framesSent.map { ($0.key.description, $0.value) })
        (leftOut, keyFrameRequests) = (media.counts.framesLeftOut, media.counts.keyFrameRequests)
        received = media.slots.frames.map { key, frames in
            Received(
                uid: key.uid.rawValue, name: room?[key.uid]?.name, kind: key.kind, layer: key.layer, frames: frames)
        }.sorted { ($0.uid, $0.layer) < ($1.uid, $1.layer) }
        (soundSent, soundReceived) = (media.counts.soundSent, media.slots.payloads.values.reduce(0, +))
        undecodable = media.slots.undecodable
        (opened, requests) = (media.frames.opened, media.requests)
        (decoded, refused) = (media.frames.decoded, media.frames.refused)
        (freezes, frozenMilliseconds) = (media.slots.allFreezes.count, media.slots.allFreezes.duration.milliseconds)
        firstPictureMilliseconds = log.firstPictures.map(\.delay.milliseconds)
        returns = log.returns.map { one in
            Return(
                lost: (one.lost - start).seconds, entered: one.entered.map { ($0 - one.lost).milliseconds },
                picture: one.picture.map { ($0 - one.lost).milliseconds })
        }
        participants = log.participants ?? room?.participants.map(\.name).sorted() ?? []
        (self.missing, errors) = (missing, log.errors)
    }
}

extension RoomClientStatus {
    /// The status as one word.
    var word: String {
        switch self {
        case .idle: "idle"
        case .joining: "joining"
        case .connected: "connected"
        case .interrupted: "interrupted"
        case .lost: "lost"
        case .ended(let reason): reason.rawValue
        case .refused(let error): "refused \(error.code.rawValue)"
        }
    }
}
#endif
