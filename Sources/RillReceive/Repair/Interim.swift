public import RillCore
public import RillRTP

// Until the buffer has these of its own.

/// How a packet came to the buffer.
public enum PacketOrigin: Sendable, Equatable {
    case network, retransmission, parity
}

extension JitterBuffer {
    public mutating func insert(_ packet: Span<UInt8>, origin: PacketOrigin, at time: MediaTime) -> InsertResult {
        insert(packet, at: time)
    }

    public mutating func notePacketWithoutMedia(_ header: RTPHeader, at time: MediaTime) {
        var header = header
        header.payloadType = settings.payloadType
        let none: [UInt8] = []
        let packet = [UInt8](capacity: 16) {
            RTPPacket(header: header, payload: none.span, paddingByteCount: 1).write(into: &$0)
        }
        _ = insert(packet.span, at: time)
    }
}
