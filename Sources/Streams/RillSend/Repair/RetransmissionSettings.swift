public import RillRTP

/// The retransmission stream of a stream (RFC 4588), which has its own SSRC.
public struct RetransmissionSettings: Equatable, Sendable {
    /// The SSRC of the retransmission stream; must differ from the stream's.
    public var ssrc: SSRC
    /// The negotiated payload type of RTX for the stream's payload type, or for RED's if packets are wrapped in RED.
    public var payloadType: PayloadType
    /// The sequence number of its first packet.
    public var firstSequenceNumber: SequenceNumber

    /// A retransmission stream with these values.
    public init(ssrc: SSRC, payloadType: PayloadType, firstSequenceNumber: SequenceNumber = SequenceNumber(0)) {
        self.ssrc = ssrc
        self.payloadType = payloadType
        self.firstSequenceNumber = firstSequenceNumber
    }

    /// A retransmission stream with a random SSRC and first sequence number, as RFC 3550 §5.1 requires.
    public init(payloadType: PayloadType, using generator: inout some RandomNumberGenerator) {
        self.init(
            ssrc: SSRC(.random(in: .min ... .max, using: &generator)), payloadType: payloadType,
            firstSequenceNumber: SequenceNumber(.random(in: 0...32767, using: &generator)))
    }
}
