/// The number of an agent on an ``ICEPort``. It is never used again.
public struct ICEPeerID: Hashable, Sendable {
    /// The number.
    public let rawValue: Int
}

extension ICEPeerID: CustomStringConvertible {
    /// The number.
    public var description: String { "peer \(rawValue)" }
}
