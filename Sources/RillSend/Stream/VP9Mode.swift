/// How a VP9 stream tells its receivers which pictures refer to which (RFC 9628 §3).
public enum VP9Mode: Sendable {
    /// Each packet says it of its own frame (P_DIFF): any references, up to three, up to 127 pictures back.
    case flexible
    /// Key frames say it once for a repeating group of pictures: that of the ``TemporalPattern`` of as many layers as the
    /// stream has, which the encoder has to keep to. One to three layers.
    case nonFlexible
}
