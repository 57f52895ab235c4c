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
