import RillCore
public import RillRTP

extension StreamReceiverSettings {
    /// Creates settings from a negotiated description, with everything else at its default.
    ///
    /// - Parameters:
    ///   - description: the negotiated description of the stream.
    ///   - ssrc: the SSRC that RTCP is sent as.
    /// - Throws: what ``RillRTP/StreamDescription/validate()`` throws, and `unsupportedFormat`.
    public init(_ description: StreamDescription, ssrc: SSRC) throws(StreamDescriptionError) {
        self.init(jitterBuffer: JitterBufferSettings(payloadType: description.payloadType), ssrc: ssrc)
        try apply(description)
    }

    /// Applies a negotiated description, and leaves everything else unchanged.
    ///
    /// - Parameter description: the negotiated description of the stream.
    /// - Throws: as ``init(_:ssrc:)``; then nothing is changed.
    public mutating func apply(_ description: StreamDescription) throws(StreamDescriptionError) {
        if description.kind == .audio {
            try jitterBuffer.applyTransport(description)
            repair = RepairSettings()
        } else {
            try jitterBuffer.apply(description)
            repair = description.repair
            for other in description.alternatives {
                guard let again = other.retransmissionPayloadType else { continue }
                repair.retransmission?.others[again] = other.payloadType
            }
        }
        kind = description.kind
        mid = description.mid.flatMap { StreamIdentifier($0) }
        rid = description.rid.flatMap { StreamIdentifier($0) }
        var chosen = description
        congestionFeedback = chosen.chooseCongestionFeedback()
        isPausable = description.feedback.contains(.pause)
        alternativeRIDs = description.alternativeRIDs.compactMap { StreamIdentifier($0) }
    }
}

extension JitterBufferSettings {
    /// Creates settings from a negotiated description, with everything else at its default.
    ///
    /// - Parameter description: the negotiated description of the stream.
    /// - Throws: what ``RillRTP/StreamDescription/validate()`` throws, and `unsupportedFormat`.
    public init(_ description: StreamDescription) throws(StreamDescriptionError) {
        self.init(payloadType: description.payloadType)
        try apply(description)
    }

    /// Applies the SSRC, payload type, codec, RID and header extensions of a negotiated description.
    ///
    /// Without NACK in it, nothing is NACKed. A RID with characters other than letters and digits cannot name a
    /// layer, and leaves ``rid`` unchanged.
    ///
    /// - Parameter description: the negotiated description of the stream.
    /// - Throws: as ``init(_:)``; then nothing is changed.
    public mutating func apply(_ description: StreamDescription) throws(StreamDescriptionError) {
        let codec = try VideoCodec(agreed: description.encoding)
        try applyTransport(description)
        self.codec = codec
        alternatives = [:]
        for other in description.alternatives { alternatives[other.payloadType] = other.encoding.videoCodec }
        if let name = description.rid, let name = StreamLayer.RID(validating: name) { rid = name }
        if !description.feedback.contains(.nack) { nack = nil }
    }

    /// Applies what streams of any kind have.
    fileprivate mutating func applyTransport(_ description: StreamDescription) throws(StreamDescriptionError) {
        try description.validate()
        clockRate = try description.clockRate
        ssrc = description.ssrc
        payloadType = description.payloadType
        headerExtensions = description.headerExtensions
    }
}

extension VideoCodec {
    /// Creates the codec of that name; for built-in codecs the case of letters does not matter.
    ///
    /// - Throws: `unsupportedFormat`.
    init(agreed encoding: RTPFormat.Encoding) throws(StreamDescriptionError) {
        guard let codec = encoding.videoCodec else {
            throw .unsupportedFormat(name: encoding.name, clockRate: encoding.clockRate)
        }
        self = codec
    }
}
