/// A view of the payload of one RTP packet of a VP8 stream (RFC 7741 §4.2): its descriptor, and the piece of the frame.
///
///     let payload = try VP8Payload(parsing: packet.payload)
///     if payload.descriptor.startsFrame { … }
///     frame.append(copying: payload.piece)
///
/// It lives no longer than the bytes. It may be made of any bytes: what is no VP8 payload throws.
public struct VP8Payload: ~Escapable {
    /// What is said of the frame.
    public let descriptor: VP8PayloadDescriptor
    /// The frame's bytes in this packet, at least one.
    public let piece: Span<UInt8>

    /// A payload of these parts, to be written.
    @_lifetime(copy piece)
    public init(descriptor: VP8PayloadDescriptor, piece: Span<UInt8>) {
        self.descriptor = descriptor
        self.piece = piece
    }

    /// Takes a payload apart. Reserved bits are passed over, as the RFC asks.
    ///
    /// - Throws: `truncated`, or `emptyPayload` when no byte of a frame follows.
    @_lifetime(copy payload)
    @inlinable @inline(__always)  // On the way of every packet.
    public init(parsing payload: Span<UInt8>) throws(RTPError) {
        var reader = ByteReader(payload)
        descriptor = try VP8PayloadDescriptor(&reader)
        guard reader.remaining > 0 else { throw .emptyPayload }
        piece = payload.extracting(reader.position...)
    }

    /// Bytes of the whole payload.
    public var byteCount: Int { descriptor.byteCount + piece.count }

    /// Appends the payload. `output` has room for `byteCount` bytes; too little is the programmer's mistake, and so are
    /// fields beyond their bits.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        descriptor.write(into: &output)
        output.append(copying: piece)
    }
}
