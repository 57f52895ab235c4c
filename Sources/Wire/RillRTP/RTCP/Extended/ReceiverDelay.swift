/// A sender's echo of one receiver's reference time: the DLRR sub-block (RFC 3611 §4.5).
///
/// It lets a receiver that sends no media measure the round-trip time.
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                      SSRC_n (SSRC of receiver)                |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                         last RR (LRR)                         |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                   delay since last RR (DLRR)                  |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
public struct ReceiverDelay: WireElement, Equatable {
    /// The SSRC of the receiver.
    public var ssrc: SSRC
    /// LRR: the middle 32 bits of the NTP timestamp in its latest reference time report; `nil`, on the wire 0, before
    /// the first.
    public var lastReceiverReport: NTPShort?
    /// DLRR: the time from that report's arrival to this block; zero before the first.
    public var delaySinceLastReceiverReport: NTPShort

    /// An echo with these fields.
    public init(ssrc: SSRC, lastReceiverReport: NTPShort?, delaySinceLastReceiverReport: NTPShort = .zero) {
        self.ssrc = ssrc
        self.lastReceiverReport = lastReceiverReport
        self.delaySinceLastReceiverReport = delaySinceLastReceiverReport
    }

    /// Returns the round-trip time, given that the echo arrived at `arrival`; `nil` if there was no report to echo.
    public func roundTripTime(at arrival: NTPTimestamp) -> NTPShort? {
        lastReceiverReport.map { .roundTrip(from: $0, delay: delaySinceLastReceiverReport, to: arrival.short) }
    }

    // MARK: The wire

    /// The size of an echo on the wire: 12 bytes.
    public static var byteCount: Int { 12 }

    /// Reads the echo at `offset`.
    public init(wire bytes: Span<UInt8>, at offset: Int) {
        let lastReport = NTPShort(rawValue: bytes.bigEndianUInt32(at: offset + 4))
        self.init(
            ssrc: SSRC(bytes.bigEndianUInt32(at: offset)), lastReceiverReport: lastReport == .zero ? nil : lastReport,
            delaySinceLastReceiverReport: NTPShort(rawValue: bytes.bigEndianUInt32(at: offset + 8)))
    }

    /// Appends the echo. Traps unless `output` has room for twelve bytes.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        output.append(bigEndian: ssrc.rawValue)
        output.append(bigEndian: (lastReceiverReport ?? .zero).rawValue)
        output.append(bigEndian: delaySinceLastReceiverReport.rawValue)
    }
}
