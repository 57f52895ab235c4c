/// Congestion control feedback: which packets of which streams arrived, when, and with which ECN mark.
///
/// RFC 8888 §3.1, PT=RTPFB=205, FMT=11:
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P| FMT=11  |   PT = 205    |          length               |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                 SSRC of RTCP packet sender                    |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                   SSRC of 1st RTP Stream                      |  for each stream
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |          begin_seq            |          num_reports          |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |R|ECN|  Arrival time offset    | ...      (zeros to 32 bits)   .
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                 Report Timestamp (32 bits)                    |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// Unlike ``TransportFeedback`` it needs no header extension: it counts by the sequence numbers of the streams.
/// num_reports is the number of 16-bit blocks that follow (erratum 8166).
///
/// ```swift
/// var reports = feedback.reports
/// while let report = reports.next() {
///     for index in report.packets.indices { note(report.ssrc, report.number(at: index), report.packets[index]) }
/// }
/// ```
///
/// A view that cannot outlive the bytes. Allocates nothing. ``CongestionControlFeedbackWriter`` writes such packets.
public struct CongestionControlFeedback: ~Escapable {
    /// The SSRC of the receiver.
    public let sender: SSRC
    /// RTS: when the feedback was written, by the clock of the receiver's sender reports.
    public let timestamp: NTPShort
    /// Stream reports that were validated by parsing.
    private let bytes: Span<UInt8>

    package static let format: UInt8 = 11
    static let reportHeaderByteCount = 8
    /// The packets of one stream that a feedback reports at most: a quarter of the sequence numbers.
    public static let maximumPacketCount = 16384

    /// The report on one stream: consecutive packets.
    public struct StreamReport: ~Escapable {
        /// The SSRC of the stream.
        public let ssrc: SSRC
        /// begin_seq: the sequence number of the first packet.
        public let beginSequenceNumber: SequenceNumber
        /// The packets, in order; there may be none.
        public let packets: WireList<PacketStatus>

        @_lifetime(copy packets)
        init(ssrc: SSRC, beginSequenceNumber: SequenceNumber, packets: WireList<PacketStatus>) {
            self.ssrc = ssrc
            self.beginSequenceNumber = beginSequenceNumber
            self.packets = packets
        }

        /// The sequence number of the `index`th packet.
        public func number(at index: Int) -> SequenceNumber { beginSequenceNumber.advanced(by: index) }
    }

    /// The reports, in order. One stream may have several.
    public var reports: Reports {
        @_lifetime(copy self)
        get { Reports(bytes) }
    }

    /// Iterates over the stream reports of a feedback.
    ///
    /// A view that cannot outlive what the feedback views. Allocates nothing.
    public struct Reports: ~Escapable {
        private let bytes: Span<UInt8>
        private var position = 0

        @_lifetime(copy bytes)
        init(_ bytes: Span<UInt8>) {
            self.bytes = bytes
        }

        /// Returns the next report, or `nil` after the last one.
        @_lifetime(copy self) @_lifetime(self: copy self)
        public mutating func next() -> StreamReport? {
            guard position < bytes.count else { return nil }
            let word = bytes.bigEndianUInt32(at: position + 4)
            let count = Int(word & 0xFFFF)
            let start = position + CongestionControlFeedback.reportHeaderByteCount
            let ssrc = SSRC(bytes.bigEndianUInt32(at: position))
            position = start + (2 * count + 3) / 4 * 4
            return StreamReport(
                ssrc: ssrc, beginSequenceNumber: SequenceNumber(UInt16(truncatingIfNeeded: word >> 16)),
                packets: WireList(parsing: bytes.extracting(start..<start + 2 * count)))
        }
    }

    // MARK: The wire

    /// Parses the feedback. Validates all reports, so that iterating over them cannot fail.
    ///
    /// - Throws: `unexpectedPacketType`; `truncated`; `invalidCount` if a report has more than ``maximumPacketCount``
    ///   packets.
    @_lifetime(copy packet)
    public init(parsing packet: RTCPPacket) throws(RTPError) {
        try packet.require(.transportFeedback, format: CongestionControlFeedback.format)
        var reader = ByteReader(packet.body)
        sender = SSRC(try reader.uint32())
        try reader.require(4)
        let end = packet.body.count - 4
        timestamp = NTPShort(rawValue: packet.body.bigEndianUInt32(at: end))
        bytes = packet.body.extracting(reader.position..<end)
        // The reader counts from the start of the body, as the errors of other packets do, but stops before the
        // timestamp.
        reader = ByteReader(packet.body.extracting(first: end), at: reader.position)
        while reader.remaining > 0 {
            try reader.require(CongestionControlFeedback.reportHeaderByteCount)
            _ = try reader.range(6)
            let count = Int(try reader.uint16())
            guard count <= CongestionControlFeedback.maximumPacketCount else {
                throw .invalidCount(count: count, byteCount: reader.remaining)
            }
            _ = try reader.range((2 * count + 3) / 4 * 4)
        }
    }

    /// The size of the packet in bytes.
    public var byteCount: Int { CongestionControlFeedbackWriter.headerByteCount + bytes.count }

    /// Appends the feedback, with unused bits and padding cleared.
    ///
    /// Traps unless `output` has room for `byteCount` bytes.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        var writer = CongestionControlFeedbackWriter(sender: sender, into: &output)
        var reports = reports
        while let report = reports.next() {
            writer.beginReport(on: report.ssrc, from: report.beginSequenceNumber, into: &output)
            for index in report.packets.indices { writer.append(report.packets[index], into: &output) }
        }
        writer.finish(at: timestamp, into: &output)
    }
}
