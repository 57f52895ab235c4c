public import RillCore

/// Why a request is refused, or cannot be sent. The code is the number that a page shows.
public enum RoomError: Error, Equatable, Sendable {
    /// A message is no JSON of this schema, or a value in it is not possible.
    case malformed(String)
    /// The token is missing, wrong, expired, or for another room.
    case unauthorized
    /// The participant lacks this right.
    case notAllowed(Rights)
    /// Nobody in the room has this number.
    case unknownParticipant(UID)
    /// The description of media cannot be used.
    case descriptionRefused(String)
    /// The server's own parts took too long to check a token or to answer an offer.
    case timedOut
    /// Somebody else has the number that was asked for.
    case uidTaken(UID)
    /// The session is over, or the server does not know it.
    case sessionEnded
    /// The participant publishes nothing of this kind.
    case notPublished(MediaKind)
    /// A field is longer than it may be; in bytes, or in entries.
    case tooLarge(field: String, limit: Int)
    /// This channel is in a room already.
    case alreadyJoined
    /// The room is locked.
    case locked
    /// A channel's first message must be `join` or `resume`.
    case notJoined
    /// Too much in too short a time. `missed` counts what was refused since the last message that was taken.
    case tooFast(limit: Int, retryAfter: MediaDuration, missed: Int)
    /// A newer session of the same identity has taken the place.
    case replaced
    /// A host removed the participant.
    case removed
    /// The client's own queue is full: `missed` messages were refused since the last one taken, `cached` are waiting.
    case queueFull(missed: Int, cached: Int)
    /// The room has as many members as it may have.
    case roomFull(limit: Int)
    /// The token, or the address, has as many sessions as it may have.
    case tooManySessions(limit: Int)
    /// The server stops: it, or another one, serves in a moment.
    case draining
    /// There are as many rooms as there may be.
    case tooManyRooms(limit: Int)
    /// A host lets the author write no more.
    case blocked
    /// The chat is off.
    case chatDisabled
    /// There is no such message in the room, it is deleted, or it is somebody else's.
    case unknownMessage(Int)
    /// The message is too old to be changed by its author; `limit` in seconds.
    case tooOld(limit: Int)
    /// The image cannot be used.
    case imageRefused(String)
    /// The server could not store it, or read it: nothing of it was done.
    case storeFailed
    /// Somebody receives less than is sent to it; `missed` as in ``tooFast(limit:retryAfter:missed:)``.
    case recipientFull(UID, missed: Int)

    /// The code, whose case it is.
    public enum Code: Int, CaseIterable, Sendable {
        case malformed = 400
        case unauthorized = 401
        case notAllowed = 403
        case unknownParticipant = 404
        case descriptionRefused = 406
        case timedOut = 408
        case uidTaken = 409
        case sessionEnded = 410
        case notPublished = 412
        case tooLarge = 413
        case alreadyJoined = 421
        case locked = 423
        case notJoined = 428
        case tooFast = 429
        case replaced = 440
        case removed = 441
        case queueFull = 470
        case roomFull = 480
        case tooManySessions = 481
        case draining = 503
        case tooManyRooms = 506
        case recipientFull = 507
        case imageRefused = 415
        case blocked = 442
        case chatDisabled = 443
        case unknownMessage = 444
        case tooOld = 445
        case storeFailed = 508
    }

    /// The code.
    public var code: Code {
        switch self {
        case .malformed: .malformed
        case .unauthorized: .unauthorized
        case .notAllowed: .notAllowed
        case .unknownParticipant: .unknownParticipant
        case .descriptionRefused: .descriptionRefused
        case .timedOut: .timedOut
        case .uidTaken: .uidTaken
        case .sessionEnded: .sessionEnded
        case .notPublished: .notPublished
        case .tooLarge: .tooLarge
        case .alreadyJoined: .alreadyJoined
        case .locked: .locked
        case .notJoined: .notJoined
        case .tooFast: .tooFast
        case .replaced: .replaced
        case .removed: .removed
        case .queueFull: .queueFull
        case .roomFull: .roomFull
        case .tooManySessions: .tooManySessions
        case .draining: .draining
        case .tooManyRooms: .tooManyRooms
        case .recipientFull: .recipientFull
        case .blocked: .blocked
        case .chatDisabled: .chatDisabled
        case .unknownMessage: .unknownMessage
        case .tooOld: .tooOld
        case .imageRefused: .imageRefused
        case .storeFailed: .storeFailed
        }
    }

    /// Whether the same request may succeed a moment later.
    public var isTransient: Bool {
        switch self {
        case .timedOut, .tooFast, .draining, .recipientFull, .queueFull, .storeFailed: true
        default: false
        }
    }
}

extension RoomError: CustomStringConvertible {
    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .malformed(let what): "the message cannot be read: \(what); see the schema of messages"
        case .unauthorized: "the token is missing, expired, or for another room: get a new one and join again"
        case .notAllowed(let right): "this needs the right \(right): ask a host of the room for it"
        case .unknownParticipant(let uid): "nobody in the room has the number \(uid)"
        case .descriptionRefused(let why): "the offer cannot be used: \(why)"
        case .timedOut: "the server took too long: try again"
        case .uidTaken(let uid): "somebody else has the number \(uid): ask for another one, or for none"
        case .sessionEnded: "the session is over: join again"
        case .notPublished(let kind): "no \(kind.rawValue) is published: publish it first"
        case .tooLarge(let field, let limit): "\(field) is longer than \(limit): shorten it"
        case .alreadyJoined: "this channel is in a room already: open another one"
        case .locked: "the room is locked: ask a host to open it"
        case .notJoined: "join or resume first"
        case .tooFast(let limit, let retryAfter, let missed):
            "more than \(limit) a second, \(missed) refused: wait for \(retryAfter)"
        case .replaced: "a newer session of the same identity is in the room: leave that one first"
        case .removed: "a host removed you: ask them to let you in, and join again"
        case .queueFull(let missed, let cached): "\(cached) messages wait to be sent, \(missed) refused: wait for them"
        case .roomFull(let limit): "the room has \(limit) members, which is its limit: try again when somebody left"
        case .tooManySessions(let limit):
            "there are \(limit) sessions of this token or address, which is the limit: leave one of them first"
        case .draining: "the server restarts: try again in a moment"
        case .tooManyRooms(let limit): "there are \(limit) rooms, which is the server's limit: try again later"
        case .recipientFull(let uid, let missed):
            "the participant \(uid) does not keep up, \(missed) refused: send less, or later"
        case .blocked: "a host has blocked you: ask them to let you write again"
        case .chatDisabled: "the chat is off: a host turns it on"
        case .unknownMessage(let number): "there is no message \(number) of yours, or it is deleted"
        case .tooOld(let limit): "the message is older than \(limit) s: ask a host to change it"
        case .imageRefused(let why): "the image cannot be used: \(why)"
        case .storeFailed: "the server cannot store it now: try again"
        }
    }
}
