public import RillCore

/// A time in which one picture stood too long.
public struct Freeze: Sendable, Equatable {
    /// When the last picture before it was shown.
    public var start: MediaTime
    /// When the next one was.
    public var end: MediaTime
    /// It is one by W3C's rule, against the frames before (``RillReceive/FreezeMeter``).
    public var isFreeze: Bool
    /// It is one by the rule of call SDKs: longer than 500 ms.
    public var isLongGap: Bool

    /// How long it lasted.
    public var duration: MediaDuration { end - start }
}

/// A picture beside a freeze.
public struct Thumbnail: Sendable {
    /// When the picture was shown.
    public var time: MediaTime
    /// Its size here.
    public var resolution: Resolution
    /// A file that browsers show: ``RillFiles/WebPPicture``.
    public var webP: [UInt8]
}

/// A freeze with what was seen before and after it.
public struct PicturedFreeze: Sendable {
    /// The freeze.
    public var freeze: Freeze
    /// The picture that stood.
    public var before: Thumbnail
    /// The one that ended it.
    public var after: Thumbnail
}
