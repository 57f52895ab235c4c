/// What a server sends a client.
public enum RoomMessage: Equatable, Sendable {
    /// The answer to `join` and `resume`. The events after it follow.
    case welcome(Welcome, to: Int)
    /// The answer to any other request that was done.
    ///
    /// - Parameters:
    ///   - number: of the event that it caused, if it did.
    ///   - answer: the answer (SDP) to an offer.
    ///   - message: the number of the chat message that it is about, and that is stored.
    case done(Int, number: Int?, answer: String?, message: Int? = nil)
    /// The answer to a request that was refused; without a number, to a message without one.
    case error(RoomError, to: Int)
    /// The next event of the log.
    case event(NumberedEvent)
    /// App data. `count` is one more for each message to this member, `sequence` is its sender's own number, and
    /// `missed` messages to all were not kept for this member before this one.
    case data(count: Int, from: UID, sequence: Int, text: String, missed: Int)
    /// How loud participants are, ten times a second.
    case levels([SoundLevel])
    /// What a slot of this member shows from now on.
    case slot(SlotState)
    /// Whether anybody wants a layer that this member publishes.
    case layer(LayerInterest)
    /// The room's chat, for who came in before it was read.
    case chatState(ChatState)
    /// The answer to `history`: a page of messages, in the order of their numbers.
    case history([ChatMessage], to: Int)
    /// Others have received and read the member's own messages up to these numbers.
    case marks(ChatMarks)
    /// Somebody is typing.
    case typing(UID)
    /// For hosts and the author: an author may not write any more, or may again.
    case blocked(String, Bool)
    /// For hosts: a message is reported.
    case report(ReportedMessage)
    /// The answer to `reports`, the latest first.
    case reports([ReportedMessage], to: Int)
    /// The answer to `alive`.
    case alive
    /// The server closes the channel.
    case bye(EndReason)

    /// The name of a case, which is its `type` in JSON; events have their own.
    public enum Name: String, CaseIterable, Sendable {
        case welcome, done, error, data, levels, slot, layer, alive, bye
        case chatState, history, marks, typing, blocked, report, reports
    }
}

/// How loud a participant is.
public struct SoundLevel: Equatable, Sendable, Codable {
    /// Who.
    public var uid: UID
    /// 0 is the loudest, 127 silence: dB below the loudest (RFC 6464 §3).
    public var level: UInt8

    /// A level.
    public init(_ uid: UID, level: UInt8) { (self.uid, self.level) = (uid, level) }
}

/// The answer to a member that came in, or came back.
public struct Welcome: Equatable, Sendable {
    /// The token with which the session comes back.
    public var session: String
    /// Its number in the room.
    public var uid: UID
    /// The epoch of the log: a server that restarted, and a room that was empty, have another one.
    public var epoch: Int
    /// The last event that the member knows: that of the snapshot, or the one it resumed from.
    public var number: Int
    /// The room at that event; `nil` for who reads on.
    public var snapshot: RoomState?
    /// The last message of app data that the member knows.
    public var count: Int
    /// Whether it came in just now: what it published and wanted before is gone, and must be requested again.
    public var isFresh: Bool
    /// Whether the server has media of it: else it sends an offer (`negotiate`).
    public var hasMedia: Bool
    /// The answer (SDP) to the offer of a `join`.
    public var answer: String?
    /// All slots that show something.
    public var slots: [SlotState]
    /// The room's chat; `nil` for who reads on, and while the server does not have it: `chatState` follows then.
    public var chat: ChatState?
}

/// Why a session, or its channel, has ended.
public enum EndReason: String, Codable, CaseIterable, Sendable {
    /// It left.
    case left
    /// A newer session of its identity took its place. It must not come back by itself.
    case replaced
    /// A host removed it.
    case removed
    /// The room is closed.
    case closed
    /// Its token ended.
    case expired
    /// Another channel of the same session took its place.
    case moved
    /// It received too slowly: it comes back, and reads on.
    case slow
    /// Nothing was received from it for 15 s: it comes back.
    case dropped
    /// It did not join in time, or others needed its place.
    case idle
    /// The server stops: it comes back to the next one.
    case draining

    /// Whether a client comes back by itself.
    public var mayReturn: Bool {
        switch self {
        case .slow, .dropped, .idle, .draining: true
        case .left, .replaced, .removed, .closed, .expired, .moved: false
        }
    }
}
