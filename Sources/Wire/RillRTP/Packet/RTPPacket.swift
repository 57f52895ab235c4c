/// A view of one RTP packet: its header, and the location of its other parts.
///
/// The header is followed by its contributing sources, by an extension if X is set, by the payload, and by padding if
/// P is set. The last byte of the padding is its length, including itself (RFC 3550 §5.1):
///
/// ```text
/// +----------------+-------+-------------------+-----------------+-------------------+
/// |     header     | CSRCs | extension (if X)  |     payload     | padding |  count  |
/// +----------------+-------+-------------------+-----------------+-------------------+
/// ```
///
/// ```swift
/// let packet = try RTPPacket(parsing: datagram)
/// let payload = try VP8Payload(parsing: packet.payload)
/// frame.append(copying: payload.piece)  // the frame's bytes in this packet
/// ```
///
/// The view cannot outlive the bytes. Parsing accepts arbitrary bytes and throws if they are not an RTP packet.
public struct RTPPacket: ~Escapable, BitwiseCopyable {
    /// The fixed fields of the header.
    public let header: RTPHeader
    /// The up to 15 contributing sources; empty except in packets from a mixer.
    public let csrcs: WireList<SSRC>
    /// The header extension, if the packet has one.
    public let headerExtension: RTPHeaderExtension?
    /// The payload, without header and padding. It may be empty: some senders probe with padding only.
    public let payload: Span<UInt8>
    /// The size of the padding in bytes, including its length byte: 0 to 255.
    public let paddingByteCount: Int

    /// A packet of these parts, to be written.
    ///
    /// Traps if there are more than 15 contributing sources or 255 bytes of padding.
    @_lifetime(copy csrcs, copy headerExtension, copy payload)
    public init(
        header: RTPHeader, csrcs: WireList<SSRC> = WireList(), headerExtension: RTPHeaderExtension? = nil,
        payload: Span<UInt8>, paddingByteCount: Int = 0
    ) {
        precondition(csrcs.count <= RTPHeader.maximumSourceCount, "\(csrcs.count) contributing sources: 15 fit")
        precondition((0...255).contains(paddingByteCount), "padding of \(paddingByteCount) bytes: 0 to 255 fit")
        self.header = header
        self.csrcs = csrcs
        self.headerExtension = headerExtension
        self.payload = payload
        self.paddingByteCount = paddingByteCount
    }

    /// Parses a packet.
    ///
    /// - Throws: `truncated`, `unsupportedVersion` or `invalidPadding`.
    @inlinable @inline(__always) @_lifetime(copy bytes)  // A caller that reads fewer parts pays for fewer.
    public init(parsing bytes: Span<UInt8>) throws(RTPError) {
        let layout = try RTPPacketLayout(parsing: bytes)
        header = layout.header
        var reader = ByteReader(bytes, at: RTPHeader.fixedByteCount)
        csrcs = WireList(parsing: try reader.span(layout.sourcesEnd &- RTPHeader.fixedByteCount))
        headerExtension = layout.hasExtension ? try RTPHeaderExtension.parse(&reader) : nil
        payload = try reader.span(layout.payloadEnd &- layout.payloadStart)
        paddingByteCount = bytes.count &- layout.payloadEnd
    }

    /// The size of the whole packet in bytes.
    public var byteCount: Int {
        header.byteCount + csrcs.byteCount + (headerExtension?.byteCount ?? 0) + payload.count + paddingByteCount
    }

    /// Appends the packet. Traps unless `output` has room for `byteCount` bytes.
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
