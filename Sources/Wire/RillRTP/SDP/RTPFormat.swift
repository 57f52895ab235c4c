/// A payload type and its format: its a=rtpmap, a=fmtp and a=rtcp-fb (RFC 8866 §6.6, §6.15; RFC 4585 §4.2).
public struct RTPFormat: Equatable, Sendable {
    /// The payload type in the packets' headers.
    public var payloadType: PayloadType
    /// The payload format; `nil` if only the payload type defines it (types below 96, RFC 3551).
    public var encoding: Encoding?
    /// The format parameters, in order.
    public var parameters: [Parameter]
    /// The supported feedback.
    public var feedback: [RTCPFeedback]

    /// A format with these properties.
    public init(
        _ payloadType: PayloadType, encoding: Encoding? = nil, parameters: [Parameter] = [],
        feedback: [RTCPFeedback] = []
    ) {
        self.payloadType = payloadType
        self.encoding = encoding
        self.parameters = parameters
        self.feedback = feedback
    }

    /// The name and clock rate of a payload format.
    public struct Encoding: Equatable, Sendable {
        /// The registered name (`VP8`, `rtx`, …); case-insensitive.
        public var name: String
        /// The rate of the RTP timestamp in Hz.
        public var clockRate: UInt32
        /// The encoding parameters: the number of audio channels.
        public var channels: String?

        /// An encoding with that name.
        public init(_ name: String, clockRate: UInt32 = UInt32(RTPTimestamp.videoClockRate), channels: String? = nil) {
            self.name = name
            self.clockRate = clockRate
            self.channels = channels
        }
    }

    /// A format parameter.
    public struct Parameter: Equatable, Sendable {
        /// The text before the equals sign.
        public var name: String
        /// The text after the equals sign; `nil` without an equals sign (`a=fmtp:127 96/96` of RED).
        public var value: String?

        /// The parameter `name=value`, or `name`.
        public init(_ name: String, _ value: String? = nil) {
            self.name = name
            self.value = value
        }
    }

    /// Returns whether the format has that name, ignoring case.
    public func isNamed(_ name: String) -> Bool {
        encoding?.name.lowercased() == name.lowercased()
    }

    /// The value of the first parameter with that name.
    public subscript(parameter name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// apt: the payload type whose retransmissions this format carries (RFC 4588 §8.6).
    public var associatedPayloadType: PayloadType? {
        self[parameter: "apt"].flatMap { $0[...].payloadType }
    }
}

// MARK: - Repair formats

extension RTPFormat {
    /// RTX: retransmissions of the packets with payload type `associated` (RFC 4588).
    ///
    /// - Parameters:
    ///   - payloadType: the payload type of the retransmissions.
    ///   - associated: the payload type of the original packets.
    ///   - milliseconds: how long packets are kept for retransmission; `nil` (the default) to leave it unspecified.
    public static func rtx(
        _ payloadType: PayloadType, for associated: PayloadType, milliseconds: Int? = nil
    ) -> RTPFormat {
        var parameters = [Parameter("apt", "\(associated)")]
        if let milliseconds { parameters.append(Parameter("rtx-time", "\(milliseconds)")) }
        return RTPFormat(payloadType, encoding: Encoding("rtx"), parameters: parameters)
    }

    /// RED: packets with redundant data (RFC 2198).
    public static func red(_ payloadType: PayloadType) -> RTPFormat {
        RTPFormat(payloadType, encoding: Encoding("red"))
    }

    /// ULPFEC: forward error correction (RFC 5109).
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
    /// `apt=96;rtx-time=200`, with or without spaces. Skips empty pieces.
    static func list(_ text: Substring) -> [RTPFormat.Parameter] {
        text.pieces(at: Sign.semicolon).compactMap { piece in
            guard !piece.trimmed.isEmpty else { return nil }
            let (name, value) = piece.cut(at: Sign.equals)
            return RTPFormat.Parameter(String(name.trimmed), value.map { String($0.trimmed) })
        }
    }

    var text: String { value.map { "\(name)=\($0)" } ?? name }
}

/// a=rtcp-fb: a kind of feedback that a stream supports (RFC 4585 §4.2, RFC 5104 §7.1).
public struct RTCPFeedback: Hashable, Sendable {
    /// The first word: `nack`, `ccm`, `ack`, `goog-remb`, …
    public var kind: String
    /// The rest of the value (`pli`, `fir`); `nil` if there is none.
    public var parameter: String?

    /// The feedback `kind`, or `kind parameter`.
    public init(_ kind: String, _ parameter: String? = nil) {
        self.kind = kind
        self.parameter = parameter
    }

    /// Generic NACK: requests the retransmission of individual packets.
    public static let nack = RTCPFeedback("nack")
    /// PLI: requests a key frame after picture loss.
    public static let pictureLossIndication = RTCPFeedback("nack", "pli")
    /// FIR: commands a key frame.
    public static let fullIntraRequest = RTCPFeedback("ccm", "fir")
    /// REMB: the receiver's bitrate estimate (draft-alvestrand-rmcat-remb).
    public static let receiverEstimatedMaximumBitrate = RTCPFeedback("goog-remb")
    /// Transport-wide feedback: the arrival time of every packet (draft-holmer-rmcat-transport-wide-cc-extensions).
    public static let transportWideCongestionControl = RTCPFeedback("transport-cc")

    /// Congestion control feedback: the arrival time of every packet, by the sequence numbers of its stream (RFC 8888
    /// §6).
    public static let congestionControlFeedback = RTCPFeedback("ack", "ccfb")

    /// Parses the text after the payload type.
    init?(_ text: Substring) {
        let (kind, parameter) = text.trimmed.cut(at: Sign.space)
        guard !kind.isEmpty else { return nil }
        let rest = parameter?.trimmed
        self.init(String(kind), rest.map { String($0) })
    }

    var text: String { parameter.map { "\(kind) \($0)" } ?? kind }
}
