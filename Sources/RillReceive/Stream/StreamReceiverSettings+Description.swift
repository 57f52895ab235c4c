import RillCore
public import RillRTP

extension StreamReceiverSettings {
    /// Settings for what two sides agreed on, with RTCP sent as `ssrc`; the rest is at its defaults.
    ///
    /// - Throws: what ``RillRTP/StreamDescription/validate()`` throws, and `unsupportedFormat`.
    public init(_ description: StreamDescription, ssrc: SSRC) throws(StreamDescriptionError) {
        self.init(jitterBuffer: try JitterBufferSettings(description), ssrc: ssrc)
        takeRepairAndNames(description)
    }

    /// Takes over what two sides agreed on, and leaves everything else as it is.
    ///
    /// - Throws: as ``init(_:ssrc:)``; then nothing is changed.
    public mutating func apply(_ description: StreamDescription) throws(StreamDescriptionError) {
        try jitterBuffer.apply(description)
        takeRepairAndNames(description)
    }

    private mutating func takeRepairAndNames(_ description: StreamDescription) {
        repair = description.repair
        mid = description.mid.flatMap { StreamIdentifier($0) }
        rid = description.rid.flatMap { StreamIdentifier($0) }
        isPausable = description.feedback.contains(.pause)
        alternativeRIDs = description.alternativeRIDs.compactMap { StreamIdentifier($0) }
    }
}

extension JitterBufferSettings {
    /// Settings for what two sides agreed on; the rest is at its defaults.
    ///
    /// - Throws: what ``RillRTP/StreamDescription/validate()`` throws, and `unsupportedFormat`.
    public init(_ description: StreamDescription) throws(StreamDescriptionError) {
        self.init(payloadType: description.payloadType)
        try apply(description)
    }

    /// Takes over what two sides agreed on: source, payload type, codec, name, header extensions. Without NACK in it,
    /// nothing is NACKed; a RID that frames cannot bear, which has other signs than letters and digits, leaves theirs as it
    /// is.
    ///
    /// - Throws: as ``init(_:)``; then nothing is changed.
    public mutating func apply(_ description: StreamDescription) throws(StreamDescriptionError) {
        try description.validate()
        codec = try VideoCodec(agreed: description.encoding)
        ssrc = description.ssrc
        payloadType = description.payloadType
        if let name = description.rid, let name = StreamLayer.RID(validating: name) { rid = name }
        headerExtensions = description.headerExtensions
        if !description.feedback.contains(.nack) { nack = nil }
    }
}

extension VideoCodec {
    /// The codec of that name, in upper or lower case where Rill brings it.
    ///
    /// - Throws: `unsupportedFormat`.
    init(agreed encoding: RTPFormat.Encoding) throws(StreamDescriptionError) {
        let name = encoding.name.lowercased()
        let known = VideoCodec.allCases.first { $0.rawValue.lowercased() == name }
        guard Int64(encoding.clockRate) == RTPTimestamp.videoClockRate,
            let codec = known ?? VideoCodec(rawValue: encoding.name)
        else { throw .unsupportedFormat(name: encoding.name, clockRate: encoding.clockRate) }
        self = codec
    }
}
