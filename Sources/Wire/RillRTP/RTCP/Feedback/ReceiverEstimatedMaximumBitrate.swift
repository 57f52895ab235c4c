/// REMB: a receiver's estimate of the total bitrate available to a set of streams.
///
/// draft-alvestrand-rmcat-remb-03 §2.2, PT=PSFB=206, FMT=15:
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P|  FMT=15 |    PT=206     |             length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                  SSRC of packet sender                        |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |              SSRC of media source (unused, 0)                 |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |  Unique identifier 'R' 'E' 'M' 'B'                            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |  Num SSRC     | BR Exp    |  BR Mantissa                      |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |   SSRC feedback                                               |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |  ...                                                          |
/// ```
///
/// The bitrate is mantissa * 2^exp bits per second.
///
/// A view that cannot outlive the bytes, or the streams to be written.
public struct ReceiverEstimatedMaximumBitrate: ~Escapable {
    /// The SSRC of the receiver.
    public let sender: SSRC
    /// The bitrate in bits per second, including all headers. On the wire it has 18 significant bits and is rounded
    /// down.
    public let bitrate: UInt64
    /// The streams that share the bitrate, at most 255.
    public let ssrcs: WireList<SSRC>

    package static let format: UInt8 = 15
    /// "REMB".
    private static let identifier: UInt32 = 0x5245_4D42
    private static let mantissaBits = 18

    /// An estimate with these fields, to be written. Traps if there are more than 255 streams.
    @_lifetime(copy ssrcs)
    public init(sender: SSRC, bitrate: UInt64, ssrcs: WireList<SSRC>) {
        let count = ssrcs.count
        precondition(count <= 255, "\(count) streams: 255 fit")
        self.sender = sender
        self.bitrate = bitrate
        self.ssrcs = ssrcs
    }

    /// Returns whether the packet has the identifier. Other application layer feedback uses the same format number.
    static func isIdentifier(of packet: RTCPPacket) -> Bool {
        packet.body.count >= 12 && packet.body.bigEndianUInt32(at: 8) == identifier
    }

    /// Parses the estimate.
    ///
    /// - Throws: `unexpectedPacketType` (also for other feedback of the same format), `truncated`, `invalidCount` or
    ///   `invalidBitrate`.
    @_lifetime(copy packet)
    public init(parsing packet: RTCPPacket) throws(RTPError) {
        try packet.require(.payloadFeedback, format: ReceiverEstimatedMaximumBitrate.format)
        var reader = ByteReader(packet.body)
        sender = SSRC(try reader.uint32())
        _ = try reader.uint32()
        guard try reader.uint32() == ReceiverEstimatedMaximumBitrate.identifier else {
            throw .unexpectedPacketType(packet.type.rawValue)
        }
        let word = try reader.uint32()
        let mantissa = word & (1 << UInt32(ReceiverEstimatedMaximumBitrate.mantissaBits) - 1)
        let exponent = UInt8(truncatingIfNeeded: word >> UInt32(ReceiverEstimatedMaximumBitrate.mantissaBits)) & 0x3F
        guard mantissa == 0 || Int(exponent) <= UInt64(mantissa).leadingZeroBitCount else {
            throw .invalidBitrate(mantissa: mantissa, exponent: exponent)
        }
        bitrate = UInt64(mantissa) << UInt64(exponent)
        ssrcs = try reader.list(count: UInt8(word >> 24))
    }

    /// The size of the packet in bytes: 20, and 4 per stream.
    public var byteCount: Int { 20 + ssrcs.byteCount }

    /// Appends the estimate. Traps unless `output` has room for `byteCount` bytes.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        let exponent = max(
            0, UInt64.bitWidth - bitrate.leadingZeroBitCount - ReceiverEstimatedMaximumBitrate.mantissaBits)
        let mantissa = UInt32(truncatingIfNeeded: bitrate >> UInt64(exponent))
        RTCPPacket.writeHeader(
            .payloadFeedback, count: Int(ReceiverEstimatedMaximumBitrate.format), byteCount: byteCount, into: &output)
        output.append(bigEndian: sender.rawValue)
        output.append(bigEndian: UInt32(0))
        output.append(bigEndian: ReceiverEstimatedMaximumBitrate.identifier)
        output.append(
            bigEndian: UInt32(ssrcs.count) << 24
                | UInt32(exponent) << UInt32(ReceiverEstimatedMaximumBitrate.mantissaBits) | mantissa)
        ssrcs.write(into: &output)
    }
}
