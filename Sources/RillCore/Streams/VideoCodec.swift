/// The codecs that Rill's frames are coded with.
public enum VideoCodec: String, Hashable, Sendable, CaseIterable {
    /// RFC 6386.
    case vp8 = "VP8"
    /// The VP9 bitstream specification, version 0.7.
    case vp9 = "VP9"
}
