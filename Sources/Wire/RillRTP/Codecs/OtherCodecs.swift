// Codecs that Rill describes and forwards, and neither encodes nor decodes.

extension CodecTraits {
    /// AV1 (RTP payload format of AOMedia, version 1.0).
    static let av1 = CodecTraits("AV1", payloadType: PayloadType(99))
    /// H.264 (RFC 6184). Formats with other parameters are other formats.
    static let h264 = CodecTraits("H264", payloadType: PayloadType(102), variant: .allParameters)
    /// Opus (RFC 7587): always 48 kHz and two channels in descriptions, whatever is coded. The parameters are those of
    /// browsers (§7): FEC within the codec is understood.
    static let opus = CodecTraits(
        "opus", .audio, clockRate: .opus, channelCount: 2, payloadType: PayloadType(111),
        parameters: [RTPFormat.Parameter("minptime", "10"), RTPFormat.Parameter("useinbandfec", "1")])
    /// G.711, µ-law (RFC 3551 §4.5.14).
    static let pcmu = CodecTraits("PCMU", .audio, clockRate: .telephone, payloadType: PayloadType(0))
    /// G.711, A-law (RFC 3551 §4.5.14).
    static let pcma = CodecTraits("PCMA", .audio, clockRate: .telephone, payloadType: PayloadType(8))
    /// G.722 (RFC 3551 §4.5.2): its RTP clock has 8 kHz, although it is sampled at 16 kHz.
    static let g722 = CodecTraits("G722", .audio, clockRate: .telephone, payloadType: PayloadType(9))
}
