/// Writes congestion control feedback, stream by stream and packet by packet (RFC 8888 §3.1).
///
/// ```swift
/// var writer = CongestionControlFeedbackWriter(sender: SSRC(7), into: &output)
/// writer.beginReport(on: video, from: SequenceNumber(100), into: &output)
/// writer.append(.received(ArrivalTimeOffset(nanoseconds: 5_000_000), .notCapable), into: &output)   // 100
/// writer.append(.notReceived, into: &output)                                                       // 101
/// writer.finish(at: wallClock.short, into: &output)
/// ```
///
/// Pass the same `output` throughout, and append nothing else to it in between. Traps unless it has room for
/// `CongestionControlFeedbackWriter.headerByteCount` and the reports' ``reportByteCount(of:)``. Allocates nothing.
public struct CongestionControlFeedbackWriter {
    /// The size of a packet without reports in bytes.
    public static let headerByteCount = 12
    private let start: Int
    /// Where the packets of the open report begin.
    private var reportStart: Int?

    /// The size of the report on `packetCount` consecutive packets in bytes.
    public static func reportByteCount(of packetCount: Int) -> Int {
        CongestionControlFeedback.reportHeaderByteCount + (2 * packetCount + 3) / 4 * 4
    }

    /// Starts a packet from `sender`.
    @_lifetime(output: copy output)
    public init(sender: SSRC, into output: inout OutputSpan<UInt8>) {
        start = output.count
        RTCPPacket.writeHeader(
            .transportFeedback, count: Int(CongestionControlFeedback.format),
            byteCount: CongestionControlFeedbackWriter.headerByteCount, into: &output)
        output.append(bigEndian: sender.rawValue)
    }

    /// Starts the report on a stream, whose first packet has that sequence number.
    @_lifetime(output: copy output)
    public mutating func beginReport(
        on ssrc: SSRC, from number: SequenceNumber, into output: inout OutputSpan<UInt8>
    ) {
        endReport(in: &output)
        output.append(bigEndian: ssrc.rawValue)
        output.append(bigEndian: number.rawValue)
        output.append(bigEndian: UInt16(0))
        reportStart = output.count
    }

    /// Appends the status of the stream's next packet. Traps before the first ``beginReport(on:from:into:)``.
    @_lifetime(output: copy output)
    public func append(_ status: CongestionControlFeedback.PacketStatus, into output: inout OutputSpan<UInt8>) {
        precondition(reportStart != nil, "a packet belongs to the report on a stream")
        status.write(into: &output)
    }

    /// Completes the packet. Traps if it is longer than 262144 bytes.
    ///
    /// - Parameters:
    ///   - timestamp: the time from which the arrival time offsets count back, by the clock of our sender reports.
    ///   - output: where the packet was written.
    @_lifetime(output: copy output)
    public mutating func finish(at timestamp: NTPShort, into output: inout OutputSpan<UInt8>) {
        endReport(in: &output)
        output.append(bigEndian: timestamp.rawValue)
        RTCPPacket.patchLength(ofPacketAt: start, in: &output)
    }

    /// Writes the number of packets, and fills the last word.
    @_lifetime(output: copy output)
    private mutating func endReport(in output: inout OutputSpan<UInt8>) {
        guard let reportStart else { return }
        let count = (output.count - reportStart) / 2
        let maximum = CongestionControlFeedback.maximumPacketCount
        precondition(count <= maximum, "a report on \(count) packets: \(maximum) fit")
        output[reportStart - 2] = UInt8(truncatingIfNeeded: count >> 8)
        output[reportStart - 1] = UInt8(truncatingIfNeeded: count)
        if count % 2 != 0 { output.append(bigEndian: UInt16(0)) }
        self.reportStart = nil
    }
}
