/// What a client asks of a room.
public enum RoomCommand: Equatable, Sendable {
    /// Come in. The first message of a channel, or ``resume(session:epoch:number:count:)``.
    case join(JoinRequest)
    /// Come back with a session's token, and read on behind this event and this message of app data.
    case resume(session: String, epoch: Int, number: Int, count: Int)
    /// Answer this offer: for media after a join without an offer, or to restart ICE in place.
    case negotiate(offer: String)
    /// Publish: what the section `mid` of the offer sends.
    case publish(MediaKind, mid: String?, isMuted: Bool)
    /// Publish it no more; of another participant, if a host says so.
    case unpublish(MediaKind, of: UID?)
    /// Mute; of another participant, if a host says so.
    case mute(MediaKind, of: UID?)
    /// Unmute one's own.
    case unmute(MediaKind)
    /// Receive what somebody publishes, or receive it otherwise.
    case want(Want)
    /// Send app data to somebody, or to all others: each once and in order. `count` is one more for each message of
    /// a session; the same count again is the same message.
    case data(count: Int, to: UID?, text: String)
    /// Something about the chat.
    case chat(ChatCommand)
    /// Change one's name, picture or attributes; `nil` leaves one as it is.
    case profile(name: String?, avatar: String?, attributes: [String: String]?)
    /// Change a role, as a host; or one's own to a lesser one.
    case role(UID, Role)
    /// Change somebody's rights, as a host.
    case rights(UID, Rights)
    /// Remove somebody, as a host.
    case remove(UID)
    /// Lock or open the room, as a host.
    case lock(Bool)
    /// Close the room, as a host: everybody is out.
    case close
    /// Go on with a new token.
    case renew(token: String)
    /// Say that one is there, and what one has got so far: event, app data, and chat message. Each second.
    case alive(number: Int, count: Int, message: Int? = nil)
    /// Leave.
    case leave

    /// The name of a case, which is its `type` in JSON.
    public enum Name: String, CaseIterable, Sendable {
        case join, resume, negotiate, publish, unpublish, mute, unmute, want, data, chat, profile, role, rights, remove
        case lock, close, renew, alive, leave
        case edit, delete, typing, read, history, setChat, block, report, reports
    }

    /// Writes a chat message.
    public static func chat(key: String, text: String, replyTo: Int? = nil, image: ChatImage? = nil) -> RoomCommand {
        .chat(.write(key: key, text: text, replyTo: replyTo, image: image))
    }

    /// The name of the case.
    public var name: Name {
        switch self {
        case .join: .join
        case .resume: .resume
        case .negotiate: .negotiate
        case .publish: .publish
        case .unpublish: .unpublish
        case .mute: .mute
        case .unmute: .unmute
        case .want: .want
        case .data: .data
        case .chat(let command): command.name
        case .profile: .profile
        case .role: .role
        case .rights: .rights
        case .remove: .remove
        case .lock: .lock
        case .close: .close
        case .renew: .renew
        case .alive: .alive
        case .leave: .leave
        }
    }
}

/// What somebody brings who comes in.
public struct JoinRequest: Equatable, Sendable {
    /// The room's name.
    public var room: String
    /// The token that lets it in; `nil` where the server asks for none.
    public var token: String?
    /// A session of a guest in this room before: the guest stays the same author, and takes the place of that session.
    public var session: String?
    /// The name that is shown. The token may have another one, which then counts.
    public var name: String
    /// The URL of its picture.
    public var avatar: String?
    /// The number that it would like; `nil` for one of the server's choice.
    public var uid: UID?
    /// What the app says about it.
    public var attributes: [String: String]
    /// The role that it would like, at most that of the token; `nil` for the token's.
    public var role: Role?
    /// Its offer (SDP); `nil` for no media, or for later.
    public var offer: String?

    /// A request.
    public init(
        room: String, token: String? = nil, session: String? = nil, name: String, avatar: String? = nil,
        uid: UID? = nil, attributes: [String: String] = [:], role: Role? = nil, offer: String? = nil
    ) {
        (self.room, self.token, self.session, self.name, self.avatar) = (room, token, session, name, avatar)
        (self.uid, self.attributes, self.role, self.offer) = (uid, attributes, role, offer)
    }
}

/// A command with its number, which is in the answer.
public struct RoomRequest: Equatable, Sendable {
    /// The client's number.
    public var id: Int
    /// The command.
    public var command: RoomCommand

    /// A command with a number.
    public init(_ command: RoomCommand, id: Int) { (self.command, self.id) = (command, id) }
}
