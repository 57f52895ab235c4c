/// What a sending pipeline does with pictures that do not stand upright (``RillCore/VideoFrame/rotation``).
public enum SendOrientation: String, Sendable, CaseIterable {
    /// They are turned before they are encoded: one copy of each, and nothing for the receiver to do.
    ///
    /// A layer's size is that of the upright picture: what a camera of 640x480 takes turned by a quarter has 480x640.
    case applied
    /// They are coded as they were captured, and how far to turn them is told with them: no copy, but receivers have to
    /// know the header extension of 3GPP TS 26.114 (RFC 7742 asks it of all browsers).
    ///
    /// It goes out where the session gave it a number: ``SendSettings/headerExtensions``.
    case carried
}
