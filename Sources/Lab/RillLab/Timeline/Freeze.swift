public import RillCore

/// A time in which one picture was shown too long.
public struct Freeze: Encodable, Sendable, Equatable {
    /// When the last picture before it was shown.
    public var start: MediaTime
    /// When the next picture was shown.
    public var end: MediaTime
    /// Whether it is a freeze by W3C's rule, relative to the frames before (``RillReceive/FreezeMeter``).
    public var isFreeze: Bool
    /// Whether it is a freeze by the rule of call SDKs: longer than 500 ms.
    public var isLongGap: Bool

    /// Its duration.
    public var duration: MediaDuration { end - start }
}

/// A freeze with the pictures before and after it.
public struct PicturedFreeze: Sendable {
    /// The freeze.
    public var freeze: Freeze
    /// The frozen picture.
    public var before: Thumbnail
    /// The picture that ended it.
    public var after: Thumbnail
}
