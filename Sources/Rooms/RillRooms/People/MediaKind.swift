/// What a participant publishes: at most one of each kind.
public enum MediaKind: String, Codable, CaseIterable, Sendable {
    /// Sound of a microphone.
    case sound
    /// Pictures of a camera or a clip.
    case video
    /// Pictures of a screen.
    case screen

    /// The right that publishing it needs.
    public var right: Rights {
        switch self {
        case .sound: .sound
        case .video: .video
        case .screen: .screen
        }
    }
}

/// Something that a participant publishes.
public struct PublishedMedia: Equatable, Sendable, Codable {
    /// Its kind.
    public var kind: MediaKind
    /// Whether it is muted: nothing is sent, and it goes on when it is unmuted.
    public var isMuted: Bool
    /// The size of its first picture, in pixels; `nil` before that, of sound, and if the picture is encrypted and
    /// nothing tells its size.
    public var width: Int?
    /// See ``width``.
    public var height: Int?

    /// Something published, of which no picture came yet.
    public init(_ kind: MediaKind, isMuted: Bool = false) { (self.kind, self.isMuted) = (kind, isMuted) }

    private enum CodingKeys: String, CodingKey {
        case kind, width, height
        case isMuted = "muted"
    }
}
