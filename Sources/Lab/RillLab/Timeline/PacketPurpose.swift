import RillRTP
import RillReceive

/// The purpose of an RTP packet of a layer.
enum PacketPurpose: Equatable {
    /// A packet of the layer's own stream, with its sequence number: a retransmission if a newer one was already
    /// sent.
    case media(SequenceNumber)
    /// An FEC packet, which also has a sequence number of that stream.
    case fec(SequenceNumber)
    /// A packet of the retransmission stream.
    case retransmission

    /// The purpose of a packet with a stream's own SSRC; `nil` if it cannot be parsed.
    ///
    /// - Parameters:
    ///   - bytes: the packet.
    ///   - repair: the negotiated repair formats.
    init?(_ bytes: Span<UInt8>, _ repair: RepairSettings) {
        // Why it cannot be parsed does not matter: such a packet is not recorded.
        guard let packet = try? RTPPacket(parsing: bytes) else { return nil }
        let number = packet.header.sequenceNumber
        var type = packet.header.payloadType
        // RED with one block, as we send it: F is 0, and the other bits are the block's payload type (RFC 2198 §3).
        if type == repair.redPayloadType, !packet.payload.isEmpty { type = PayloadType(packet.payload[0] & 0x7F) }
        self = type == repair.fecPayloadType ? .fec(number) : .media(number)
    }
}
