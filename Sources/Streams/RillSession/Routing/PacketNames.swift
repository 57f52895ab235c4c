package import RillRTP

/// The identifiers in a packet's header extensions (RFC 8852, RFC 9143): they identify its stream before its SSRC is
/// known.
package struct PacketNames: Equatable {
    package var mid: StreamIdentifier?
    package var rid: StreamIdentifier?
    /// For a retransmission: the RID of the stream that it repairs.
    package var repairedRID: StreamIdentifier?

    var isEmpty: Bool { mid == nil && rid == nil && repairedRID == nil }

    /// Reads the identifiers of a packet.
    package init(of packet: borrowing RTPPacket, by map: HeaderExtensionMap) {
        guard let block = packet.headerExtension else { return }
        var elements = block.elements
        // After an element that cannot be read the rest of the block is unknown: identifiers there do not count.
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
