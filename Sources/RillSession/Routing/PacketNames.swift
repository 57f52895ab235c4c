import RillRTP

/// The names that a packet bears in its header extension (RFC 8852, RFC 9143): what its stream is known by before its source is.
struct PacketNames: Equatable {
    var mid: StreamIdentifier?
    var rid: StreamIdentifier?
    /// Of a retransmission: the name of the stream that it repairs.
    var repairedRID: StreamIdentifier?

    var isEmpty: Bool { mid == nil && rid == nil && repairedRID == nil }

    /// Reads the names of a packet.
    init(of packet: borrowing RTPPacket, by map: HeaderExtensionMap) {
        guard let block = packet.headerExtension else { return }
        var elements = block.elements
        // Behind an element that cannot be read nothing is known of the block: names that come there do not count.
        while let element = try? elements.next() {
            switch map[element.id] {
            case .mid: mid = StreamIdentifier(element.data)
            case .rid: rid = StreamIdentifier(element.data)
            case .repairedRID: repairedRID = StreamIdentifier(element.data)
            default: break
            }
        }
    }
}
