/// What a member wants of something that a participant publishes.
public struct Want: Equatable, Sendable {
    /// The picture that is wanted.
    public enum Picture: Equatable, Sendable {
        /// None.
        case none
        /// The smallest layer.
        case low
        /// The best layer that the member's network carries.
        case high
        /// The best layer that it carries, and no larger one than covers this size, in pixels.
        case shown(width: Int, height: Int)
    }

    /// Whose.
    public var uid: UID
    /// Of what.
    public var kind: MediaKind
    /// The picture; of sound, anything but `none` is all.
    public var picture: Picture
    /// Where the network carries some only, those of the highest priority come first.
    public var priority: Int

    /// A wish for something.
    public init(_ picture: Picture = .high, of uid: UID, _ kind: MediaKind = .video, priority: Int = 0) {
        (self.picture, self.uid, self.kind, self.priority) = (picture, uid, kind, priority)
    }
}

/// What a section of a member's description shows now.
public struct SlotState: Equatable, Sendable, Codable {
    /// The section (`mid`).
    public var mid: String
    /// Whose; `nil` if it shows nothing.
    public var uid: UID?
    /// Of what.
    public var kind: MediaKind?
    /// The name of the layer.
    public var layer: String?
    /// Whether no pictures come, because the network does not carry them beside what is more important. They return by
    /// themselves.
    public var isPaused: Bool

    /// A slot that shows something.
    public init(mid: String, uid: UID? = nil, kind: MediaKind? = nil, layer: String? = nil, isPaused: Bool = false) {
        (self.mid, self.uid, self.kind, self.layer, self.isPaused) = (mid, uid, kind, layer, isPaused)
    }

    private enum CodingKeys: String, CodingKey {
        case mid, uid, kind, layer
        case isPaused = "paused"
    }
}

/// Whether anybody wants a layer that a member publishes.
///
/// One that nobody wants need not be coded until somebody does, and begins with a key frame then. Publishers that pause
/// by RFC 7728 are asked by that, and are not told so.
public struct LayerInterest: Equatable, Sendable, Codable {
    /// Of what.
    public var kind: MediaKind
    /// The name of the layer.
    public var layer: String
    /// Whether somebody wants it; `false` 5 s after the last one stopped.
    public var isWanted: Bool

    /// The interest for a layer.
    public init(_ kind: MediaKind, layer: String, isWanted: Bool) {
        (self.kind, self.layer, self.isWanted) = (kind, layer, isWanted)
    }

    private enum CodingKeys: String, CodingKey {
        case kind, layer
        case isWanted = "wanted"
    }
}

extension Want {
    init(from fields: KeyedDecodingContainer<Field>) throws {
        let size = {
            (
                try fields.decodeIfPresent(Int.self, forKey: .width),
                try fields.decodeIfPresent(Int.self, forKey: .height)
            )
        }
        let picture: Picture
        switch (try fields.decodeIfPresent(String.self, forKey: .picture), try size()) {
        case ("none", _): picture = .none
        case ("low", _): picture = .low
        case ("high", _): picture = .high
        case (nil, (let width?, let height?)) where (1...65_535).contains(width) && (1...65_535).contains(height):
            picture = .shown(width: width, height: height)
        default:
            throw DecodingError.dataCorruptedError(
                forKey: .picture, in: fields, debugDescription: "picture is none, low or high, or there is a size")
        }
        self.init(
            picture, of: try fields.uid(), try fields.kind(),
            priority: try fields.decodeIfPresent(Int.self, forKey: .priority) ?? 0)
    }

    func encode(into fields: inout KeyedEncodingContainer<Field>) throws {
        try fields.encode(uid, forKey: .uid)
        try fields.encode(kind, forKey: .kind)
        switch picture {
        case .none: try fields.encode("none", forKey: .picture)
        case .low: try fields.encode("low", forKey: .picture)
        case .high: try fields.encode("high", forKey: .picture)
        case .shown(let width, let height):
            try fields.encode(width, forKey: .width)
            try fields.encode(height, forKey: .height)
        }
        if priority != 0 { try fields.encode(priority, forKey: .priority) }
    }
}
