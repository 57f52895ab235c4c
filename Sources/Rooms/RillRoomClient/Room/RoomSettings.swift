public import Rill
public import RillCore
public import RillRooms
public import RillSecurity

/// How a ``Room`` is joined, and what is sent and received there.
///
/// ```swift
/// var settings = RoomSettings(room: "lobby", name: "Anna", token: token)
/// settings.encryption = RoomSettings.Encryption(secret: "four words by dice")
/// settings.call.send.layers[0].resolution = .hd720
/// ```
public struct RoomSettings: Sendable {
    /// The room, the name that is shown, the token, and so on.
    public var join: JoinRequest
    /// What is encoded and sent: layers, bitrates. Its encryption is not used: ``encryption``.
    public var call = VideoCallSettings(layers: [.high(.p640x360), .low])
    /// How many pictures are received at a time, of cameras and screens together, up to 64: `rill serve` takes 17. With
    /// 0 and no source one is in the chat alone.
    public var slots = 17
    /// How frames are encrypted from end to end; `nil` in the clear.
    public var encryption: Encryption?
    /// Whether own pictures are published as soon as one is in the room.
    public var publishesVideo = true
    /// Whether they are muted at first.
    public var isMuted = false
    /// How long ``Room/join(_:over:source:taps:)`` tries.
    public var joinTimeout = MediaDuration.seconds(15)

    /// Settings for a room.
    ///
    /// - Parameters:
    ///   - room: the room's name.
    ///   - name: the name that is shown; a token may have another one, which then counts.
    ///   - token: what lets one in; `nil` where the server asks for none.
    public init(room: String, name: String, token: String? = nil) {
        join = JoinRequest(room: room, token: token, name: name)
    }

    /// End-to-end encryption by a secret that all members share: see <doc:EndToEndEncryption>.
    public struct Encryption: Sendable {
        /// The secret, at least one character.
        public var secret: String
        /// The cipher suite, the same for all members.
        public var suite: SFrameSuite

        /// Encryption by a secret.
        public init(secret: String, _ suite: SFrameSuite = .aes128GCM) { (self.secret, self.suite) = (secret, suite) }
    }
}

/// Why one is not in a ``Room``.
public enum RoomJoinError: Error, Sendable {
    /// The server refused, for that reason.
    case refused(RoomError)
    /// One was let in and is out again: removed, replaced by a newer session, or the room is closed.
    case ended(EndReason)
    /// There was no answer in time; with the last reason that there is no channel, if there is one.
    case unreachable(reason: String?)
    /// Another end of the call: one has left.
    case left
}

extension RoomJoinError: CustomStringConvertible {
    /// One sentence, which says what to do. A refusal has the server's code: `join failed: 403 …`.
    public var description: String {
        switch self {
        case .refused(let error): "join failed: \(error.code.rawValue) \(error.code): \(error)"
        case .ended(let reason): "join failed: \(reason.rawValue)"
        case .unreachable(let reason):
            "join failed: the server does not answer\(reason.map { " (\($0))" } ?? ""): check its address and the network"
        case .left: "join failed: the room was left"
        }
    }
}

extension Participant {
    /// What members of a room that is encrypted from end to end say about themselves, pages as well.
    package static let encryptedAttributes = ["encrypted": "SFrame"]

    /// Whether its frames mean something to who has a secret, or has none.
    package func isReadable(isEncrypted: Bool) -> Bool { isEncrypted || attributes["encrypted"] == nil }
}
