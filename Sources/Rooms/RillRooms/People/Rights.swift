/// What a participant may do. In JSON it is a list of names: `["sound", "video", "chat"]`.
public struct Rights: OptionSet, Hashable, Sendable {
    /// The bits, in the order of the names.
    public var rawValue: UInt8

    /// Rights by their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Publish sound.
    public static let sound = Rights(rawValue: 1)
    /// Publish video.
    public static let video = Rights(rawValue: 2)
    /// Publish a screen.
    public static let screen = Rights(rawValue: 4)
    /// Receive what others publish.
    public static let subscribe = Rights(rawValue: 8)
    /// Send chat messages and app data.
    public static let chat = Rights(rawValue: 16)
    /// Mute, unpublish and remove others, change their role and rights, lock and close the room.
    public static let moderate = Rights(rawValue: 32)
    /// All of them.
    public static let all: Rights = [.publish, .subscribe, .chat, .moderate]
    /// Publish sound, video and a screen.
    public static let publish: Rights = [.sound, .video, .screen]

    private static let names: [(name: String, right: Rights)] = [
        ("sound", .sound), ("video", .video), ("screen", .screen), ("subscribe", .subscribe), ("chat", .chat),
        ("moderate", .moderate),
    ]

    /// The right of this name; `nil` if there is none.
    public init?(named name: String) {
        guard let found = Rights.names.first(where: { $0.name == name }) else { return nil }
        self = found.right
    }

    /// The names of these rights, always in the same order.
    public var names: [String] { Rights.names.filter { contains($0.right) }.map(\.name) }
}

extension Rights: CustomStringConvertible {
    /// The names, with spaces between them.
    public var description: String { names.joined(separator: " ") }
}

extension Rights: Codable {
    /// Decodes a list of names. A name that is unknown is an error.
    public init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        self = []
        while !list.isAtEnd {
            let name = try list.decode(String.self)
            guard let right = Rights(named: name) else {
                throw DecodingError.dataCorruptedError(in: list, debugDescription: "there is no right \"\(name)\"")
            }
            insert(right)
        }
    }

    /// Encodes a list of names.
    public func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        for name in names { try list.encode(name) }
    }
}

/// What a participant is in its room.
public enum Role: String, Codable, CaseIterable, Sendable {
    /// Moderates it.
    case host
    /// Publishes and receives.
    case speaker
    /// Receives.
    case viewer

    /// The rights that come with it, as far as the participant's token allows them.
    public var rights: Rights {
        switch self {
        case .host: .all
        case .speaker: [.publish, .subscribe, .chat]
        case .viewer: [.subscribe, .chat]
        }
    }
}
