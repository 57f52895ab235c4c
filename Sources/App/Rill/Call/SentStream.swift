public import RillCore
public import RillRTP

/// A stream that a participant is sent, as it was negotiated: one of our layers, or one of several at a time.
///
/// ```swift
/// them.sent = [SentStream(negotiated, of: [.high, .low])]  // one video, switched
/// …
/// try bob.send(.low, instead: .high)
/// ```
public struct SentStream: Equatable, Sendable {
    /// What was negotiated: payload types, header extensions, MID and RID.
    public var description: StreamDescription
    /// The layers that it can carry, one at a time, the first one at the start.
    public var layers: [StreamLayer.RID]

    /// A stream that carries one layer, or several of which one at a time.
    public init(_ description: StreamDescription, of layers: [StreamLayer.RID]) {
        precondition(!layers.isEmpty, "a stream carries a layer")
        (self.description, self.layers) = (description, layers)
    }
}
