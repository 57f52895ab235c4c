public import RillCore

/// Why a session stopped to send a stream: one of the circuit breakers of RFC 8083 opened, with the numbers that opened
/// it.
public enum CircuitBreak: Hashable, Sendable {
    /// For so long the remote side reported nothing on the stream while it was sent (RFC 8083 §4.1). It resumes as
    /// soon as reports come.
    case reportTimeout(MediaDuration)
    /// So many reports in a row, over that time, show that nothing of what was sent arrives (RFC 8083 §4.2). It is sent
    /// again when a report shows that something arrived.
    case mediaTimeout(reports: Int, MediaDuration)
    /// More than ten times as much was sent as TCP would send over this path (RFC 8083 §4.3), and a tenth did not help.
    ///
    /// - Parameters:
    ///   - sent: the bitrate of the stream, with headers.
    ///   - fair: what TCP would send at that loss and round-trip time.
    ///   - lossPerMille: the lost packets of a thousand.
    case congestion(sent: Bitrate, fair: Bitrate, lossPerMille: Int)
    /// For so long more packets were lost than arrived (RFC 8083 §4.4).
    case unusable(MediaDuration)
}

extension CircuitBreak: CustomStringConvertible {
    /// The reason in a few words.
    public var description: String {
        switch self {
        case .reportTimeout(let silence): "no report for \(silence)"
        case .mediaTimeout(let count, let time): "nothing arrived, say \(count) reports over \(time)"
        case .congestion(let sent, let fair, let lossPerMille):
            "sent \(sent) where TCP would send \(fair), with \(lossPerMille) packets of 1000 lost"
        case .unusable(let time): "more packets were lost than arrived for \(time)"
        }
    }
}
