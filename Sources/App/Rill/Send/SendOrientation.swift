/// What a sending pipeline does with pictures that are not upright (``RillCore/VideoFrame/rotation``).
public enum SendOrientation: String, Sendable, CaseIterable {
    /// Pictures are rotated before they are encoded: one copy of each, and nothing for the receiver to do.
    ///
    /// A layer's size is that of the upright picture: a 640x480 camera rotated by 90° gives 480x640.
    case applied
    /// Pictures are encoded as captured, and their rotation is signaled. No copy, but receivers must support the
    /// header extension of 3GPP TS 26.114 (RFC 7742 requires it of all browsers).
    ///
    /// It is sent if the session assigned it an ID: ``SendSettings/headerExtensions``.
    case carried
}
