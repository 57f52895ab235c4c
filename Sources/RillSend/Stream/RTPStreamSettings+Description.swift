public import RillCore
public import RillRTP

extension RTPStreamSettings {
    /// Settings for what two sides agreed on; first numbers are random, and so are sources that nobody announced.
    ///
    /// Packets go in RED and are protected by ULPFEC where both have payload types, at first at a rate of zero: without FEC
    /// packets. Anything that is not agreed on is at its default.
    ///
    /// - Throws: what ``RillRTP/StreamDescription/validate()`` throws: the other side chose numbers that contradict each
    ///   other.
    public init(
        _ description: StreamDescription, using generator: inout some RandomNumberGenerator
    ) throws(StreamDescriptionError) {
        try description.validate()
        self.init(
            payloadType: description.payloadType, canonicalName: description.canonicalName ?? "rill", using: &generator)
        if let source = description.ssrc { ssrc = source }
        mid = description.mid.flatMap { StreamIdentifier($0) }
        rid = description.rid.flatMap { StreamIdentifier($0) }
        headerExtensions = description.headerExtensions
        if let agreed = description.repair.retransmission {
            var again = RetransmissionSettings(payloadType: agreed.payloadType, using: &generator)
            // Both drawn, they may be the same, once in four thousand million times.
            again.ssrc = agreed.ssrc ?? (again.ssrc == ssrc ? SSRC(again.ssrc.rawValue ^ 1) : again.ssrc)
            retransmission = again
            if ssrc == again.ssrc { ssrc = SSRC(ssrc.rawValue ^ 1) }
        }
        if let red = description.repair.redPayloadType, let fec = description.repair.fecPayloadType {
            protection = FECSettings(percentage: .zero, payloadType: fec, redPayloadType: red)
        }
    }
}

extension StreamDescription {
    /// The stream that these settings send, for the other side: what it is coded with, how lost packets are repaired, and
    /// which feedback its sender understands.
    public init(of stream: RTPStreamSettings, codec: VideoCodec) {
        self.init(stream.payloadType, RTPFormat.Encoding(codec.rawValue))
        if codec == .vp9 { parameters = [RTPFormat.Parameter("profile-id", "0")] }
        mid = stream.mid?.description
        rid = stream.rid?.description
        ssrc = stream.ssrc
        canonicalName = stream.canonicalName
        repair.retransmission = stream.retransmission.map {
            RepairSettings.Retransmission(ssrc: $0.ssrc, payloadType: $0.payloadType)
        }
        repair.redPayloadType = stream.protection?.redPayloadType
        repair.fecPayloadType = stream.protection?.payloadType
        headerExtensions = stream.headerExtensions
        feedback = [.nack, .pictureLossIndication, .fullIntraRequest]
    }
}
