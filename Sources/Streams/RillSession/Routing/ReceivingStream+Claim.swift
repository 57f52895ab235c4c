import RillRTP

extension ReceivingStream {
    /// Returns whether a packet of an unknown SSRC, with these identifiers and that payload type, matches this
    /// stream.
    ///
    /// An identifier that is present must be the stream's. If none is present, the payload type decides.
    func claim(_ names: PacketNames, _ type: PayloadType) -> (isRetransmission: Bool, Void)? {
        let isRetransmission = settings.repair.retransmission?.payloadType == type
        guard isRetransmission || settings.jitterBuffer.payloadType == type || settings.repair.redPayloadType == type
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
