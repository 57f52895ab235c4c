public import RillCore

/// What Rill knows of a codec: one entry of a table that everything else asks, so that a codec's name stands in its own
/// folder, in this file, and where it is encoded and decoded.
///
/// ```swift
/// guard let traits = CodecTraits.named("vp9") else { return }
/// let format = RTPFormat(traits.payloadType, encoding: traits.encoding, parameters: traits.parameters)
/// ```
///
/// An app's own codec (``PayloadFormat``) has no entry. Immutable; any thread may read it.
public final class CodecTraits: Sendable {
    /// The registered name of the payload format (`VP8`, `opus`), in the registry's case.
    public let name: String
    /// Video or audio.
    public let kind: MediaDescription.Kind
    /// The rate of the RTP timestamps.
    public let clockRate: ClockRate
    /// The number of audio channels in a=rtpmap; 1 where it is not written.
    public let channelCount: Int
    /// The payload type that RFC 3551 §6 assigns, or the one that Rill uses if nothing was negotiated.
    public let payloadType: PayloadType
    /// The parameters (a=fmtp) that Rill writes for its own streams.
    public let parameters: [RTPFormat.Parameter]
    /// What distinguishes formats of this name.
    package let variant: Variant
    /// Whether max-fr and max-fs in a=fmtp limit what the other side decodes.
    package let hasFrameLimits: Bool
    /// What is known of its coded frames; `nil` for a codec that Rill describes and forwards only.
    package let video: Video?

    /// What distinguishes formats of one name: streams of different variants are not compatible (RFC 3264 §6.1).
    package enum Variant: Sendable {
        /// Nothing.
        case none
        /// A parameter with its default value. Of those Rill has the default only.
        case parameter(String, default: String)
        /// All parameters.
        case allParameters
    }

    /// What is known of the coded frames of a built-in video codec.
    package struct Video: Sendable {
        /// The codec.
        package let codec: VideoCodec
        /// The four characters of the codec in IVF files.
        package let ivfTag: String
        /// The name of the codec in containers, as FFmpeg has it.
        package let containerName: String
        /// The indices of its quantizers, the finest first.
        package let quantizers: ClosedRange<Int>
        /// Whether key frames declare the color space. Without it, it is BT.601 in limited range.
        package let declaresColors: Bool
        /// Whether FFmpeg's depacketizer (5.1) marks key frames.
        package let isKeyMarkedByFFmpeg: Bool
        /// The key frame test: whether the first frame in the bytes is a key frame, and whether it is shown, as its
        /// first bytes say. With too few bytes, it is not a key frame, and shown.
        package let start: @Sendable (_ bytes: Span<UInt8>) -> (isKey: Bool, isShown: Bool)
        /// Whether a frame that is not shown is a packet of its own. Otherwise it is joined with one that is.
        package let hasHiddenPackets: Bool
        /// The number of pictures that a decoder of single frames shows for the bytes: one for each spatial layer.
        package let shownFrameCount: @Sendable (_ bytes: Span<UInt8>) -> Int
        /// The color space that a key frame declares; `nil` for any other frame.
        package let colors: @Sendable (_ frame: Span<UInt8>) -> ColorSpace?
        /// Whether a sender would write the payload of a packet: reserved bits are 0.
        package let isWrittenPayload: @Sendable (_ payload: Span<UInt8>) -> Bool
        /// Whether the header of a complete frame is plausible.
        package let isPlausible: @Sendable (_ frame: Span<UInt8>) -> Bool
    }

    /// An entry of the table.
    init(
        _ name: String, _ kind: MediaDescription.Kind = .video, clockRate: ClockRate = .video, channelCount: Int = 1,
        payloadType: PayloadType, parameters: [RTPFormat.Parameter] = [], variant: Variant = .none,
        hasFrameLimits: Bool = false, video: Video? = nil
    ) {
        self.name = name
        self.kind = kind
        self.clockRate = clockRate
        self.channelCount = channelCount
        self.payloadType = payloadType
        self.parameters = parameters
        self.variant = variant
        self.hasFrameLimits = hasFrameLimits
        self.video = video
    }

    /// The table: the video codecs that Rill encodes and decodes, the default first; then those it only describes.
    public static let all: [CodecTraits] = [.vp8, .vp9, .av1, .h264, .opus, .pcmu, .pcma, .g722]

    /// The audio codec where nothing else is said.
    public static var defaultAudio: CodecTraits { .opus }

    /// The built-in video codecs.
    static let builtIn = all.filter { $0.video != nil }

    /// The names of the payload formats that Rill sends and receives as video.
    public static let videoNames = builtIn.map(\.name)

    /// The names of the payload formats that Rill sends and receives: of video those it decodes, of audio all, because
    /// the app does.
    public static func names(of kind: MediaDescription.Kind) -> [String] {
        kind == .video ? videoNames : all.filter { $0.kind == kind }.map(\.name)
    }

    /// Returns the entry of a payload format; the case of letters does not matter.
    public static func named(_ name: some StringProtocol) -> CodecTraits? {
        let name = name.lowercased()
        return all.first { $0.name.lowercased() == name }
    }

    /// Returns the entry of the codec that a container calls so, as FFmpeg has it.
    package static func contained(as name: String) -> CodecTraits? { all.first { $0.video?.containerName == name } }
}

extension CodecTraits {
    /// The name, clock rate and channels, as in a=rtpmap.
    public var encoding: RTPFormat.Encoding {
        RTPFormat.Encoding(
            name, clockRate: UInt32(clockRate.hertz), channels: channelCount == 1 ? nil : "\(channelCount)")
    }

    /// What distinguishes a format of this name from others; two sides mean the same format if it is equal.
    package func variant(of parameters: [RTPFormat.Parameter]) -> String {
        switch variant {
        case .none: ""
        case .parameter(let name, let value): parameters.first { $0.name == name }?.value ?? value
        case .allParameters: parameters.map { "\($0.name)=\($0.value ?? "")" }.joined()
        }
    }

    /// The variant that Rill has.
    package var ownVariant: String { variant(of: parameters) }

    /// Whether Rill has the variant of a format.
    package static func has(_ format: RTPFormat) -> Bool {
        guard let traits = format.encoding.flatMap({ named($0.name) }), case .parameter = traits.variant else {
            return true
        }
        return traits.variant(of: format.parameters) == traits.ownVariant
    }

    /// The format that a payload type stands for without a=rtpmap (RFC 3551 §6), as far as WebRTC has it.
    package static func staticFormat(_ type: PayloadType) -> CodecTraits? {
        type.rawValue < 96 ? all.first { $0.payloadType == type } : nil
    }
}

extension VideoCodec {
    /// The codec where nothing else is said: the first of the table.
    @inlinable public static var `default`: VideoCodec { .vp8 }

    /// The codecs that Rill includes. Apps may name others.
    public static let allCases: [VideoCodec] = CodecTraits.builtIn.compactMap { $0.video?.codec }

    /// Whether Rill includes this codec.
    @inlinable public var isBuiltIn: Bool { self == .vp8 || self == .vp9 }

    /// What Rill knows of this codec; `nil` for an app's own.
    public var traits: CodecTraits? { CodecTraits.builtIn.first { $0.video?.codec == self } }

    /// The parameters (a=fmtp) of streams of this codec; none for an app's own.
    public var parameters: [RTPFormat.Parameter] { traits?.parameters ?? [] }

    /// Returns the built-in codec with that name, or `nil` for any other name.
    public init?(builtIn name: some StringProtocol) {
        guard let codec = CodecTraits.builtIn.first(where: { $0.name == name })?.video?.codec else { return nil }
        self = codec
    }

    /// The names of the built-in codecs, for messages: `VP8 or VP9`.
    package static var builtInNames: String { CodecTraits.videoNames.joined(separator: " or ") }
}

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

extension RTPFormat.Encoding {
    /// The codec of that name, for built-in codecs in any case of letters; `nil` if it is not one of video.
    package var videoCodec: VideoCodec? {
        let traits = CodecTraits.named(name)
        guard traits?.kind ?? .video == .video else { return nil }
        return traits?.video?.codec ?? VideoCodec(rawValue: name)
    }
}
