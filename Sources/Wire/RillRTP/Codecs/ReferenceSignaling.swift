/// How a stream signals which pictures refer to which, where its payload format has a choice (RFC 9628 §3).
public enum ReferenceSignaling: Sendable {
    /// Each packet lists the references of its frame (P_DIFF): up to three, up to 127 pictures back.
    case flexible
    /// Key frames define the references of a repeating group of pictures.
    ///
    /// The group is the ``/RillCore/TemporalPattern`` with the stream's number of layers, one to three. The encoder
    /// must follow it.
    case nonFlexible

    /// The most temporal layers.
    package var maximumLayerCount: Int { self == .flexible ? 4 : 3 }
}
