/// BYE: sources that leave the session (RFC 3550 §6.6).
///
/// ```text
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |V=2|P|    SC   |   PT=BYE=203  |             length            |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |                           SSRC/CSRC                           |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// :                              ...                              :
/// +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
/// |     length    |               reason for leaving            ... (optional)
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// A view that cannot outlive the bytes, or what is to be written.
public struct Goodbye: ~Escapable {
    /// The sources that leave, at most 31.
    public let sources: WireList<SSRC>
    /// The reason, as UTF-8 text (not validated) of 0 to 255 bytes; `nil` if there is none.
    public let reason: Span<UInt8>?

    /// A packet for these sources, to be written.
    ///
    /// Traps if there are more than 31 sources or if the reason has more than 255 bytes.
    @_lifetime(copy sources, copy reason)
    public init(sources: WireList<SSRC>, reason: Span<UInt8>? = nil) {
        let (count, length) = (sources.count, reason?.count ?? 0)
        precondition(count <= RTCPPacket.maximumCount, "\(count) sources: 31 fit")
        precondition(length <= 255, "a reason of \(length) bytes: 255 fit")
        self.sources = sources
        self.reason = reason
    }

    /// Parses the packet.
    ///
    /// - Throws: `unexpectedPacketType`, `invalidCount`, or `truncated` if the reason is longer than the packet.
    @_lifetime(copy packet)
    public init(parsing packet: RTCPPacket) throws(RTPError) {
        try packet.require(.goodbye)
        var reader = ByteReader(packet.body)
        sources = try reader.list(count: packet.count)
        if reader.remaining > 0 {
            let length = Int(try reader.uint8())
            reason = packet.body.extracting(try reader.range(length))
        } else {
            reason = nil
        }
    }

    /// The size of the packet in bytes.
    public var byteCount: Int {
        let reasonByteCount = if let reason { (1 + reason.count + 3) / 4 * 4 } else { 0 }
        return RTCPPacket.headerByteCount + sources.byteCount + reasonByteCount
    }

    /// Appends the packet. Traps unless `output` has room for `byteCount` bytes.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        RTCPPacket.writeHeader(.goodbye, count: sources.count, byteCount: byteCount, into: &output)
        sources.write(into: &output)
        guard let reason else { return }
        output.append(UInt8(truncatingIfNeeded: reason.count))
        output.append(copying: reason)
        output.append(repeating: 0, count: 3 - reason.count % 4)
    }
}
