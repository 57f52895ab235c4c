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

extension ReceivingStream {
    /// Returns whether a packet of an unknown SSRC, with these identifiers and that payload type, matches this
    /// stream.
    ///
    /// An identifier that is present must be the stream's. If none is present, the payload type decides: that of the
    /// format that was agreed on first.
    ///
    /// - Parameter isOnly: whether there is no other stream to be told apart.
    func claim(_ names: PacketNames, _ type: PayloadType, isOnly: Bool) -> (isRetransmission: Bool, Void)? {
        let isRetransmission = settings.repair.retransmission?.has(type) == true
        let isOther = settings.jitterBuffer.alternatives[type] != nil
        guard
            isRetransmission || settings.jitterBuffer.payloadType == type || settings.repair.redPayloadType == type
                || (isOther && (!names.isEmpty || isOnly))
        else {
            return nil
        }
        if let mid = names.mid, let own = settings.mid, mid != own { return nil }
        if let rid = isRetransmission ? names.repairedRID ?? names.rid : names.rid {
            guard rid == name || rid == settings.rid || settings.alternativeRIDs.contains(rid) else { return nil }
        }
        return (isRetransmission, ())
    }
}
