/// A report block: a receiver's statistics for one source (RFC 3550 §6.4.1).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                 SSRC_n (SSRC of n-th source)                  |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// | fraction lost |       cumulative number of packets lost       |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |           extended highest sequence number received           |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                      interarrival jitter                      |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                         last SR (LSR)                         |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                   delay since last SR (DLSR)                  |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
public struct ReportBlock: WireElement, Equatable {
    /// The SSRC of the source.
    public var ssrc: SSRC
    /// The fraction of expected packets lost since the previous report, in 1/256.
    public var fractionLost: UInt8
    /// The packets lost since the start of reception: expected minus received, so duplicates can make it negative. 24
    /// bits on the wire; larger values are clamped, as RFC 3550 §A.3 requires.
    public var cumulativeLost: Int
    /// The highest sequence number received, with the number of its wraps in the upper 16 bits.
    public var extendedHighestSequenceNumber: UInt32
    /// The interarrival jitter: the mean deviation of the packets' spacing, in ticks of the media clock.
    public var jitter: UInt32
    /// LSR: the middle 32 bits of the NTP timestamp in the latest sender report; `nil`, on the wire 0, before the
    /// first.
    public var lastSenderReport: NTPShort?
    /// DLSR: the time from that report's arrival to this block; zero before the first.
    public var delaySinceLastSenderReport: NTPShort

    /// A block with these fields.
    public init(
        ssrc: SSRC, fractionLost: UInt8 = 0, cumulativeLost: Int = 0, extendedHighestSequenceNumber: UInt32,
        jitter: UInt32 = 0, lastSenderReport: NTPShort? = nil, delaySinceLastSenderReport: NTPShort = .zero
    ) {
        self.ssrc = ssrc
        self.fractionLost = fractionLost
        self.cumulativeLost = cumulativeLost
        self.extendedHighestSequenceNumber = extendedHighestSequenceNumber
        self.jitter = jitter
        self.lastSenderReport = lastSenderReport
        self.delaySinceLastSenderReport = delaySinceLastSenderReport
    }

    /// Returns the round-trip time in steps of 15 µs, given that the block arrived at `arrival`.
    ///
    /// It is arrival - LSR - DLSR (RFC 3550 §6.4.1); `nil` if the receiver had no sender report yet. A negative
    /// result, from rounding or a dishonest receiver, counts as zero.
    public func roundTripTime(at arrival: NTPTimestamp) -> NTPShort? {
        lastSenderReport.map { .roundTrip(from: $0, delay: delaySinceLastSenderReport, to: arrival.short) }
    }

    // MARK: The wire

    /// The size of a block on the wire in bytes.
    public static var byteCount: Int { 24 }
    private static let cumulativeLostRange = -0x80_0000...0x7F_FFFF

    /// Reads the block at `offset`.
    public init(wire bytes: Span<UInt8>, at offset: Int) {
        let loss = bytes.bigEndianUInt32(at: offset + 4)
        let lastReport = NTPShort(rawValue: bytes.bigEndianUInt32(at: offset + 16))
        self.init(
            ssrc: SSRC(bytes.bigEndianUInt32(at: offset)), fractionLost: UInt8(loss >> 24),
            cumulativeLost: Int(Int32(bitPattern: loss << 8) >> 8),
            extendedHighestSequenceNumber: bytes.bigEndianUInt32(at: offset + 8),
            jitter: bytes.bigEndianUInt32(at: offset + 12),
            lastSenderReport: lastReport == .zero ? nil : lastReport,
            delaySinceLastSenderReport: NTPShort(rawValue: bytes.bigEndianUInt32(at: offset + 20)))
    }

    /// Appends the block. Traps unless `output` has room for 24 bytes.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        let range = ReportBlock.cumulativeLostRange
        let lost = UInt32(truncatingIfNeeded: min(max(cumulativeLost, range.lowerBound), range.upperBound))
        output.append(bigEndian: ssrc.rawValue)
        output.append(bigEndian: UInt32(fractionLost) << 24 | lost & 0xFF_FFFF)
        output.append(bigEndian: extendedHighestSequenceNumber)
        output.append(bigEndian: jitter)
        output.append(bigEndian: (lastSenderReport ?? .zero).rawValue)
        output.append(bigEndian: delaySinceLastSenderReport.rawValue)
    }
}

extension SSRC {
    /// The SSRC of which the first report of a compound RTCP packet tells (RFC 3550 §6.4); `nil` for other datagrams,
    /// and for one that does not begin with a report.
    package init?(reportedFirstIn datagram: Span<UInt8>) {
        guard PacketKind(of: datagram) == .rtcp, datagram[0] & 31 > 0 else { return nil }
        switch datagram[1] {
        case RTCPPacketType.senderReport.rawValue: self.init(of: datagram, at: 28)
        case RTCPPacketType.receiverReport.rawValue: self.init(of: datagram, at: 8)
        default: return nil
        }
    }
}
