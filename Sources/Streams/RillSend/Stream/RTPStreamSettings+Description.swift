public import RillCore
public import RillRTP

extension RTPStreamSettings {
    /// Settings for a negotiated stream. First sequence numbers are random, and so are SSRCs that were not announced.
    ///
    /// If RED and ULPFEC both have payload types, packets are wrapped in RED and protected by ULPFEC, initially at a
    /// rate of zero, that is, without FEC packets; a session with congestion control adapts it. Everything that was not
    /// negotiated has its default value.
    ///
    /// - Parameters:
    ///   - description: the negotiated properties of the stream.
    ///   - generator: the source of randomness.
    /// - Throws: the errors of ``/RillRTP/StreamDescription/validate()``, if the negotiated values are contradictory.
    public init(
        _ description: StreamDescription, using generator: inout some RandomNumberGenerator
    ) throws(StreamDescriptionError) {
        try description.validate()
        self.init(
            payloadType: description.payloadType, canonicalName: description.canonicalName ?? "rill", using: &generator)
        (kind, clockRate) = (description.kind, try description.clockRate)
        if let source = description.ssrc { ssrc = source }
        mid = description.mid.flatMap { StreamIdentifier($0) }
        rid = description.rid.flatMap { StreamIdentifier($0) }
        headerExtensions = description.headerExtensions
        if !description.alternatives.isEmpty, let codec = description.encoding.videoCodec {
            payloadTypes[codec] = payloadType
            for other in description.alternatives {
                if let codec = other.encoding.videoCodec { payloadTypes[codec] = other.payloadType }
            }
        }
        if let agreed = description.repair.retransmission {
            var again = RetransmissionSettings(payloadType: agreed.payloadType, using: &generator)
            for other in description.alternatives {
                again.payloadTypes[other.payloadType] = other.retransmissionPayloadType
            }
            // If both are random, they are equal with a probability of 2^-32.
            again.ssrc = agreed.ssrc ?? (again.ssrc == ssrc ? SSRC(again.ssrc.rawValue ^ 1) : again.ssrc)
            retransmission = again
            if ssrc == again.ssrc { ssrc = SSRC(ssrc.rawValue ^ 1) }
        }
        if let red = description.repair.redPayloadType, let fec = description.repair.fecPayloadType {
            var protection = FECSettings(percentage: .zero, payloadType: fec, redPayloadType: red)
            protection.isAdaptive = true
            self.fec = protection
        }
    }
}

extension StreamDescription {
    /// The description of an audio stream that these settings send, for the other side, with a codec of the table.
    public init(of stream: RTPStreamSettings, codec: CodecTraits) {
        self.init(stream.payloadType, codec.encoding)
        parameters = codec.parameters
        takeIdentity(of: stream)
    }

    /// The description of the stream that these settings send, for the other side: its codec, the repair of packet
    /// loss, and the feedback that the sender supports.
    public init(of stream: RTPStreamSettings, codec: VideoCodec) {
        self.init(
            stream.payloadType, RTPFormat.Encoding(codec.rawValue, clockRate: UInt32(stream.clockRate.hertz)))
        parameters = codec.parameters
        takeIdentity(of: stream)
        repair.retransmission = stream.retransmission.map {
            RepairSettings.Retransmission(ssrc: $0.ssrc, payloadType: $0.payloadType)
        }
        repair.redPayloadType = stream.fec?.redPayloadType
        repair.fecPayloadType = stream.fec?.payloadType
        feedback = [.nack, .pictureLossIndication, .fullIntraRequest]
    }

    private mutating func takeIdentity(of stream: RTPStreamSettings) {
        mid = stream.mid?.description
        rid = stream.rid?.description
        ssrc = stream.ssrc
        canonicalName = stream.canonicalName
        headerExtensions = stream.headerExtensions
    }
}
