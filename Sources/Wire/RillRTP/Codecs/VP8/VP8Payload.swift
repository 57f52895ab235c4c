/// A view of the payload of one VP8 RTP packet (RFC 7741 §4.2): its descriptor and its piece of the frame.
///
/// ```swift
/// let payload = try VP8Payload(parsing: packet.payload)
/// if payload.descriptor.startsFrame { frame.removeAll(keepingCapacity: true) }
/// frame.append(copying: payload.piece)
/// ```
///
/// The view cannot outlive the bytes. Parsing accepts arbitrary bytes and throws if they are not a VP8 payload.
public struct VP8Payload: ~Escapable {
    /// The payload descriptor.
    public let descriptor: VP8PayloadDescriptor
    /// The frame's bytes in this packet, at least one.
    public let piece: Span<UInt8>

    /// A payload of these parts, to be written.
    @_lifetime(copy piece)
    public init(descriptor: VP8PayloadDescriptor, piece: Span<UInt8>) {
        self.descriptor = descriptor
        self.piece = piece
    }

    /// Parses a payload. Ignores reserved bits, as the RFC requires.
    ///
    /// - Throws: `truncated`, or `emptyPayload` if no frame data follows.
    @_lifetime(copy payload)
    @inlinable @inline(__always)  // Hot path: runs for every packet.
    public init(parsing payload: Span<UInt8>) throws(RTPError) {
        var reader = ByteReader(payload)
        descriptor = try VP8PayloadDescriptor(&reader)
        guard reader.remaining > 0 else { throw .emptyPayload }
        piece = payload.extracting(reader.position...)
    }

    /// The size of the whole payload in bytes.
    public var byteCount: Int { descriptor.byteCount + piece.count }

    /// Appends the payload. Traps unless `output` has room for `byteCount` bytes and every field fits its bits.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        descriptor.write(into: &output)
        output.append(copying: piece)
    }
}
