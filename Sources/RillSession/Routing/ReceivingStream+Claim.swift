import RillRTP

extension ReceivingStream {
    /// Whether a packet of an unknown source with these names and that payload type can only be one of this stream, as far as
    /// this stream is concerned.
    ///
    /// A name that is there has to be the stream's. Where none is, the payload type decides.
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
