public import RillCore

/// What a member wants of a stream.
public struct StreamWish: Equatable, Sendable {
    /// The picture that is wanted.
    public enum Picture: Equatable, Sendable {
        /// None: the sound alone.
        case none
        /// The smallest layer.
        case low
        /// The best layer that its network carries.
        case high
        /// The best layer that its network carries, and no larger one than covers this size, in pixels.
        case shown(at: Resolution)
    }

    /// The picture. `high`.
    public var picture: Picture
    /// Where its network carries some only, the streams of the highest priority come first. 0.
    public var priority: Int
    /// Whether its sound is wanted. `true`.
    public var hasSound: Bool

    /// A wish.
    ///
    /// - Parameters:
    ///   - picture: the picture.
    ///   - priority: how important it is, against the member's other wishes.
    ///   - hasSound: whether its sound is wanted.
    public init(_ picture: Picture = .high, priority: Int = 0, hasSound: Bool = true) {
        (self.picture, self.priority, self.hasSound) = (picture, priority, hasSound)
    }
}
