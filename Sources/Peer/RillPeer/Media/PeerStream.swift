public import RillRTP
public import RillSession

/// A stream that is sent, as it was negotiated.
public struct PeerSendingStream: Equatable, Sendable {
    /// Its number in the session.
    public let id: SendingStreamID
    /// Its transceiver.
    public let transceiver: TransceiverID
    /// What was negotiated: codec, RID, limits.
    public internal(set) var description: StreamDescription
    /// Whether frames are wanted: not if the section's direction excludes them, or the layer is paused.
    public internal(set) var isActive: Bool
}

/// A stream that is received, as it was negotiated.
public struct PeerReceivingStream: Equatable, Sendable {
    /// Its number in the session.
    public let id: ReceivingStreamID
    /// Its transceiver.
    public let transceiver: TransceiverID
    /// What was negotiated: codec, RID, limits.
    public internal(set) var description: StreamDescription
    /// Whether the other side may send it now.
    public internal(set) var isActive: Bool
}

/// Packets of sound that arrived and were passed on, not decoded.
package struct PassedPackets: Sendable {
    /// The packets.
    package internal(set) var packetsReceived = 0
    /// Their bytes, unprotected, with their headers.
    package internal(set) var bytesReceived = 0
}

extension NegotiatedSection {
    /// The streams of a peer without negotiation, which its description, or an agreement of its own, names: as one
    /// section.
    package init(sending: [StreamDescription], receiving: [StreamDescription]) {
        self.init(
            transceiver: TransceiverID(rawValue: 0), mid: "", index: 0, kind: .video, direction: .sendAndReceive,
            sending: sending, receiving: receiving, formats: [], remoteFormats: [])
    }
}
