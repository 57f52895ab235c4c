/// What a payload type stands for: a=rtpmap, a=fmtp and a=rtcp-fb of it (RFC 8866 §6.6, §6.15; RFC 4585 §4.2).
public struct RTPFormat: Equatable, Sendable {
    /// The number in the packets' headers.
    public var payloadType: PayloadType
    /// The payload format; `nil` where only the number says it (types below 96, RFC 3551).
    public var encoding: Encoding?
    /// The settings of the format, in their order.
    public var parameters: [Parameter]
    /// The feedback that the stream takes.
    public var feedback: [RTCPFeedback]

    /// A payload type of these properties.
    public init(
        _ payloadType: PayloadType, encoding: Encoding? = nil, parameters: [Parameter] = [],
        feedback: [RTCPFeedback] = []
    ) {
        self.payloadType = payloadType
        self.encoding = encoding
        self.parameters = parameters
        self.feedback = feedback
    }

    /// The name of a payload format and its clock.
    public struct Encoding: Equatable, Sendable {
        /// The registered name (`VP8`, `rtx`, …), in upper or lower case.
        public var name: String
        /// Ticks of the RTP timestamp a second.
        public var clockRate: UInt32
        /// What else is said: the channels of sound.
        public var channels: String?

        /// A format of that name.
        public init(_ name: String, clockRate: UInt32 = 90000, channels: String? = nil) {
            self.name = name
            self.clockRate = clockRate
            self.channels = channels
        }
    }

    /// One setting of a format.
    public struct Parameter: Equatable, Sendable {
        /// What stands before the equals sign.
        public var name: String
        /// What stands behind it; `nil` where there is none (`a=fmtp:127 96/96` of RED).
        public var value: String?

        /// The setting `name=value`, or `name`.
        public init(_ name: String, _ value: String? = nil) {
            self.name = name
            self.value = value
        }
    }

    /// Whether the format bears that name, in upper or lower case.
    public func isNamed(_ name: String) -> Bool {
        encoding?.name.lowercased() == name.lowercased()
    }

    /// The value of the first setting of that name.
    public subscript(parameter name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// apt: of which payload type this one carries the retransmissions (RFC 4588 §8.6).
    public var associatedPayloadType: PayloadType? {
        self[parameter: "apt"].flatMap { $0[...].payloadType }
    }
}

// MARK: - Formats of video

extension RTPFormat {
    /// VP8 (RFC 7741).
    public static func vp8(_ payloadType: PayloadType, feedback: [RTCPFeedback] = []) -> RTPFormat {
        RTPFormat(payloadType, encoding: Encoding("VP8"), feedback: feedback)
    }

    /// VP9 of a profile, 0 to 3 (RFC 9628).
    public static func vp9(
        _ payloadType: PayloadType, profile: Int = 0, feedback: [RTCPFeedback] = []
    ) -> RTPFormat {
        RTPFormat(
            payloadType, encoding: Encoding("VP9"), parameters: [Parameter("profile-id", "\(profile)")],
            feedback: feedback)
    }

    /// Retransmissions of the packets of `associated`, sent for so many milliseconds where it is said (RFC 4588).
    public static func rtx(
        _ payloadType: PayloadType, for associated: PayloadType, milliseconds: Int? = nil
    ) -> RTPFormat {
        var parameters = [Parameter("apt", "\(associated)")]
        if let milliseconds { parameters.append(Parameter("rtx-time", "\(milliseconds)")) }
        return RTPFormat(payloadType, encoding: Encoding("rtx"), parameters: parameters)
    }

    /// Packets with redundancy (RFC 2198).
    public static func red(_ payloadType: PayloadType) -> RTPFormat {
        RTPFormat(payloadType, encoding: Encoding("red"))
    }

    /// Forward error correction by parity (RFC 5109).
    public static func ulpfec(_ payloadType: PayloadType) -> RTPFormat {
        RTPFormat(payloadType, encoding: Encoding("ulpfec"))
    }
}

// MARK: - Text

extension RTPFormat {
    func append(to text: inout String) {
        if let encoding { text.appendAttribute("rtpmap", "\(payloadType) \(encoding.text)") }
        if !parameters.isEmpty {
            text.appendAttribute("fmtp", "\(payloadType) \(parameters.map(\.text).joined(separator: ";"))")
        }
        for message in feedback { text.appendAttribute("rtcp-fb", "\(payloadType) \(message.text)") }
    }
}

extension RTPFormat.Encoding {
    /// `VP8/90000`, `opus/48000/2`.
    init?(_ text: Substring) {
        let pieces = text.trimmed.pieces(at: Sign.slash)
        guard (2...3).contains(pieces.count), !pieces[0].isEmpty, text.words.count == 1,
            let rate = pieces[1].number(in: 1...UInt64(UInt32.max))
        else { return nil }
        self.init(
            String(pieces[0]), clockRate: UInt32(rate), channels: pieces.count == 3 ? String(pieces[2]) : nil)
    }

    fileprivate var text: String { "\(name)/\(clockRate)" + (channels.map { "/\($0)" } ?? "") }
}

extension RTPFormat.Parameter {
    /// `apt=96;rtx-time=200`, with or without blanks; empty pieces are passed over.
    static func list(_ text: Substring) -> [RTPFormat.Parameter] {
        text.pieces(at: Sign.semicolon).compactMap { piece in
            guard !piece.trimmed.isEmpty else { return nil }
            let (name, value) = piece.cut(at: Sign.equals)
            return RTPFormat.Parameter(String(name.trimmed), value.map { String($0.trimmed) })
        }
    }

    var text: String { value.map { "\(name)=\($0)" } ?? name }
}
