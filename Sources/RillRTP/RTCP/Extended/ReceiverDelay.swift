// RFC 3611 §4.5, the sub-block of one receiver:
//
//      0                   1                   2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                      SSRC_n (SSRC of receiver)                |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                         last RR (LRR)                         |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                   delay since last RR (DLRR)                  |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+

/// What a sender echoes of one receiver's reference time, so that who sends nothing can measure the round trip too
/// (RFC 3611 §4.5).
public struct ReceiverDelay: WireElement, Equatable {
    /// The receiver.
    public var ssrc: SSRC
    /// LRR: the middle bits of the NTP stamp in its newest reference time report; `nil` before the first, 0 on the
    /// wire.
    public var lastReceiverReport: NTPShort?
    /// DLRR: the time from that report's arrival to this block; zero before the first.
    public var delaySinceLastReceiverReport: NTPShort

    /// An echo of these fields.
    public init(ssrc: SSRC, lastReceiverReport: NTPShort?, delaySinceLastReceiverReport: NTPShort = .zero) {
        self.ssrc = ssrc
        self.lastReceiverReport = lastReceiverReport
        self.delaySinceLastReceiverReport = delaySinceLastReceiverReport
    }

    /// The round-trip time that the echo implies when it arrives at `arrival`; `nil` when there was nothing to echo.
    public func roundTripTime(at arrival: NTPTimestamp) -> NTPShort? {
        lastReceiverReport.map { .roundTrip(from: $0, delay: delaySinceLastReceiverReport, to: arrival.short) }
    }

    // MARK: The wire

    /// Twelve.
    public static var byteCount: Int { 12 }

    /// Reads the echo at `offset`.
    public init(wire bytes: Span<UInt8>, at offset: Int) {
        let lastReport = NTPShort(rawValue: bytes.bigEndianUInt32(at: offset + 4))
        self.init(
            ssrc: SSRC(bytes.bigEndianUInt32(at: offset)), lastReceiverReport: lastReport == .zero ? nil : lastReport,
            delaySinceLastReceiverReport: NTPShort(rawValue: bytes.bigEndianUInt32(at: offset + 8)))
    }

    /// Appends the echo. `output` has room for twelve bytes; too little is the programmer's mistake.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        output.append(bigEndian: ssrc.rawValue)
        output.append(bigEndian: (lastReceiverReport ?? .zero).rawValue)
        output.append(bigEndian: delaySinceLastReceiverReport.rawValue)
    }
}
