// RFC 3550 §6.6:
//
//      0                   1                   2                   3
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |V=2|P|    SC   |   PT=BYE=203  |             length            |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |                           SSRC/CSRC                           |
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     :                              ...                              :
//     +=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+=+
//     |     length    |               reason for leaving            ... (optional)
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+

/// BYE: sources that end (RFC 3550 §6.6).
///
/// A view: it lives no longer than the bytes, or than what it is to write.
public struct Goodbye: ~Escapable {
    /// The sources that end, at most 31.
    public let sources: WireList<SSRC>
    /// Why, as UTF-8 text that nobody has checked, 0 to 255 bytes; `nil` where nothing is said.
    public let reason: Span<UInt8>?

    /// A packet for these sources, to be written.
    ///
    /// More than 31 sources and a reason of more than 255 bytes are the programmer's mistake.
    @_lifetime(copy sources, copy reason)
    public init(sources: WireList<SSRC>, reason: Span<UInt8>? = nil) {
        let (count, length) = (sources.count, reason?.count ?? 0)
        precondition(count <= RTCPPacket.maximumCount, "\(count) sources: 31 can be told")
        precondition(length <= 255, "a reason of \(length) bytes: 255 can be told")
        self.sources = sources
        self.reason = reason
    }

    /// Reads the packet.
    ///
    /// - Throws: `unexpectedPacketType`, `invalidCount`, or `truncated` when the reason is longer than the packet.
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

    /// Bytes on the wire.
    public var byteCount: Int {
        let reasonByteCount = if let reason { (1 + reason.count + 3) / 4 * 4 } else { 0 }
        return RTCPPacket.headerByteCount + sources.byteCount + reasonByteCount
    }

    /// Appends the packet. `output` has room for `byteCount` bytes; too little is the programmer's mistake.
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
