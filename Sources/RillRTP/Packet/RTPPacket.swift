// RFC 3550 §5.1: the header and its contributing sources, its extension if X is set, the payload, and padding if P is
// set, whose last byte counts it, itself included.
//
//     +----------------+-------+-------------------+-----------------+-------------------+
//     |     header     | CSRCs | extension (if X)  |     payload     | padding |  count  |
//     +----------------+-------+-------------------+-----------------+-------------------+

/// A view of one RTP packet: its header, and where in the bytes the rest of it stands.
///
///     let packet = try RTPPacket(parsing: datagram)
///     let payload = try VP8Payload(parsing: packet.payload)
///     frame.append(copying: payload.piece)  // the frame's bytes in this packet
///
/// The view lives no longer than the bytes. It may be made of any bytes: what is no RTP packet throws.
public struct RTPPacket: ~Escapable, BitwiseCopyable {
    /// The fixed fields of the header.
    public let header: RTPHeader
    /// The up to fifteen sources that a mixer made this packet from; none in what every other sender makes.
    public let csrcs: WireList<SSRC>
    /// The header extension, where the packet has one.
    public let headerExtension: RTPHeaderExtension?
    /// The payload, without header and padding. It may be empty: some senders probe with padding alone.
    public let payload: Span<UInt8>
    /// Bytes of padding at the packet's end, the count itself included: 0 to 255.
    public let paddingByteCount: Int

    /// A packet of these parts, to be written.
    ///
    /// More than 15 contributing sources or 255 bytes of padding are the programmer's mistake.
    @_lifetime(copy csrcs, copy headerExtension, copy payload)
    public init(
        header: RTPHeader, csrcs: WireList<SSRC> = WireList(), headerExtension: RTPHeaderExtension? = nil,
        payload: Span<UInt8>, paddingByteCount: Int = 0
    ) {
        precondition(csrcs.count <= RTPHeader.maximumSourceCount, "\(csrcs.count) contributing sources: 15 fit")
        precondition((0...255).contains(paddingByteCount), "padding of \(paddingByteCount) bytes: 0 to 255 can be told")
        self.header = header
        self.csrcs = csrcs
        self.headerExtension = headerExtension
        self.payload = payload
        self.paddingByteCount = paddingByteCount
    }

    /// Takes a packet apart.
    ///
    /// - Throws: `truncated`, `unsupportedVersion` or `invalidPadding`.
    @inlinable @inline(__always) @_lifetime(copy bytes)  // A caller that looks at less pays for less.
    public init(parsing bytes: Span<UInt8>) throws(RTPError) {
        let layout = try RTPPacketLayout(parsing: bytes)
        header = layout.header
        var reader = ByteReader(bytes, at: RTPHeader.fixedByteCount)
        csrcs = WireList(parsing: try reader.span(layout.sourcesEnd &- RTPHeader.fixedByteCount))
        headerExtension = layout.hasExtension ? try RTPHeaderExtension.parse(&reader) : nil
        payload = try reader.span(layout.payloadEnd &- layout.payloadStart)
        paddingByteCount = bytes.count &- layout.payloadEnd
    }

    /// Bytes of the whole packet.
    public var byteCount: Int {
        header.byteCount + csrcs.byteCount + (headerExtension?.byteCount ?? 0) + payload.count + paddingByteCount
    }

    /// Appends the packet. `output` has room for `byteCount` bytes; too little is the programmer's mistake.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        header.write(
            into: &output, sourceCount: csrcs.count, hasExtension: headerExtension != nil,
            hasPadding: paddingByteCount > 0)
        csrcs.write(into: &output)
        headerExtension?.write(into: &output)
        output.append(copying: payload)
        if paddingByteCount > 0 {
            output.append(repeating: 0, count: paddingByteCount - 1)
            output.append(UInt8(paddingByteCount))
        }
    }
}
