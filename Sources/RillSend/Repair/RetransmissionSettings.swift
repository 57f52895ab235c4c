public import RillRTP

/// The retransmission stream beside a stream (RFC 4588), with a source of its own.
public struct RetransmissionSettings: Equatable, Sendable {
    /// The source of the retransmission stream: another one than the stream's.
    public var ssrc: SSRC
    /// The number that the session agreed on for RTX of the stream's payload type; of RED's, where packets go in RED.
    public var payloadType: PayloadType
    /// The number of its first packet.
    public var firstSequenceNumber: SequenceNumber

    /// A retransmission stream with these numbers.
    public init(ssrc: SSRC, payloadType: PayloadType, firstSequenceNumber: SequenceNumber = SequenceNumber(0)) {
        self.ssrc = ssrc
        self.payloadType = payloadType
        self.firstSequenceNumber = firstSequenceNumber
    }

    /// A retransmission stream with random source and first number, as RFC 3550 §5.1 asks of a session.
    public init(payloadType: PayloadType, using generator: inout some RandomNumberGenerator) {
        self.init(
            ssrc: SSRC(.random(in: .min ... .max, using: &generator)), payloadType: payloadType,
            firstSequenceNumber: SequenceNumber(.random(in: 0...32767, using: &generator)))
    }
}
