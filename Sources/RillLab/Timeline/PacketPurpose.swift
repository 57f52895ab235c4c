import RillRTP
import RillReceive

/// What an RTP packet of a layer is sent for.
enum PacketPurpose: Equatable {
    /// A packet of the layer's own stream, under that number: one that was sent before, if a newer one was.
    case media(SequenceNumber)
    /// An FEC packet, which has a number of that stream too.
    case fec(SequenceNumber)
    /// A packet of the stream of retransmissions.
    case retransmission

    /// The purpose of a packet of a stream's own source; `nil` for what cannot be read.
    ///
    /// - Parameter repair: what the session agreed on.
    init?(_ bytes: Span<UInt8>, _ repair: RepairSettings) {
        // Why it cannot be read does not matter: such a packet has no place on the page.
        guard let packet = try? RTPPacket(parsing: bytes) else { return nil }
        let number = packet.header.sequenceNumber
        var type = packet.header.payloadType
        // RED with one block, as we send it: F is 0, and the block's type stands in the other bits (RFC 2198 §3).
        if type == repair.redPayloadType, !packet.payload.isEmpty { type = PayloadType(packet.payload[0] & 0x7F) }
        self = type == repair.fecPayloadType ? .fec(number) : .media(number)
    }
}
