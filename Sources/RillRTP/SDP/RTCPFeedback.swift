/// a=rtcp-fb: a kind of feedback that a stream takes (RFC 4585 §4.2, RFC 5104 §7.1).
public struct RTCPFeedback: Hashable, Sendable {
    /// The first word: `nack`, `ccm`, `ack`, `goog-remb`, …
    public var kind: String
    /// What stands behind it (`pli`, `fir`); `nil` where nothing does.
    public var parameter: String?

    /// The feedback `kind`, or `kind parameter`.
    public init(_ kind: String, _ parameter: String? = nil) {
        self.kind = kind
        self.parameter = parameter
    }

    /// Generic NACK: single packets are asked for again.
    public static let nack = RTCPFeedback("nack")
    /// PLI: a key frame is asked for.
    public static let pictureLossIndication = RTCPFeedback("nack", "pli")
    /// FIR: a key frame is commanded.
    public static let fullIntraRequest = RTCPFeedback("ccm", "fir")
    /// REMB: the receiver's estimate of the bitrate (draft-alvestrand-rmcat-remb).
    public static let receiverEstimatedMaximumBitrate = RTCPFeedback("goog-remb")
    /// The arrival time of every packet (draft-holmer-rmcat-transport-wide-cc-extensions).
    public static let transportWideCongestionControl = RTCPFeedback("transport-cc")

    /// What stands behind the payload type.
    init?(_ text: Substring) {
        let (kind, parameter) = text.trimmed.cut(at: Sign.space)
        guard !kind.isEmpty else { return nil }
        let rest = parameter?.trimmed
        self.init(String(kind), rest.map { String($0) })
    }

    var text: String { parameter.map { "\(kind) \($0)" } ?? kind }
}
