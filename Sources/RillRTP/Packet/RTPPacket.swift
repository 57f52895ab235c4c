// RFC 3550 §5.1: the header, its extension if X is set, the payload, and padding if P is set, whose last byte counts
// it, itself included.
//
//     +----------------+-------------------+-----------------+-------------------+
//     | header (CSRCs) | extension (if X)  |     payload     | padding |  count  |
//     +----------------+-------------------+-----------------+-------------------+

/// A view of one RTP packet: its header, and where in the bytes the rest of it stands.
///
///     let packet = try RTPPacket(parsing: datagram)
///     let (descriptor, offset) = try VP8PayloadDescriptor.parse(packet.payload)
///     let piece = packet.payload.extracting(offset...)  // the frame's bytes in this packet
///
/// The view lives no longer than the bytes. It may be made of any bytes: what is no RTP packet throws.
public struct RTPPacket: ~Escapable {
    /// The fields of the header.
    public let header: RTPHeader
    /// The header extension, where the packet has one.
    public let headerExtension: RTPHeaderExtension?
    /// The payload, without header and padding. It may be empty: some senders probe with padding alone.
    public let payload: Span<UInt8>
    /// Bytes of padding at the packet's end, the count itself included: 0 to 255.
    public let paddingByteCount: Int

    /// A packet of these parts, to be written. Padding of more than 255 bytes is the programmer's mistake.
    @_lifetime(copy headerExtension, copy payload)
    public init(
        header: RTPHeader, headerExtension: RTPHeaderExtension? = nil, payload: Span<UInt8>, paddingByteCount: Int = 0
    ) {
        precondition((0...255).contains(paddingByteCount), "padding of \(paddingByteCount) bytes: 0 to 255 can be told")
        self.header = header
        self.headerExtension = headerExtension
        self.payload = payload
        self.paddingByteCount = paddingByteCount
    }

    /// Takes a packet apart.
    ///
    /// - Throws: `truncated`, `unsupportedVersion` or `invalidPadding`.
    @_lifetime(copy bytes)
    public init(parsing bytes: Span<UInt8>) throws(RTPError) {
        header = try RTPHeader.parse(bytes)
        var start = header.byteCount
        if bytes[0] & RTPHeader.extensionBit != 0 {
            let block = try RTPHeaderExtension.parse(bytes, at: start)
            start += block.byteCount
            headerExtension = block
        } else {
            headerExtension = nil
        }
        if bytes[0] & RTPHeader.paddingBit != 0 {
            let room = bytes.count - start
            let count = room > 0 ? Int(bytes[bytes.count - 1]) : 0
            guard count > 0, count <= room else { throw .invalidPadding(count: count, available: room) }
            paddingByteCount = count
        } else {
            paddingByteCount = 0
        }
        payload = bytes.extracting(start..<bytes.count - paddingByteCount)
    }

    /// Bytes of the whole packet.
    public var byteCount: Int {
        header.byteCount + (headerExtension?.byteCount ?? 0) + payload.count + paddingByteCount
    }

    /// Appends the packet. `output` has room for `byteCount` bytes; too little is the programmer's mistake.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        header.write(into: &output, hasExtension: headerExtension != nil, hasPadding: paddingByteCount > 0)
        headerExtension?.write(into: &output)
        output.append(copying: payload)
        if paddingByteCount > 0 {
            output.append(repeating: 0, count: paddingByteCount - 1)
            output.append(UInt8(paddingByteCount))
        }
    }
}
