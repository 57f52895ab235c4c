/// A view of the payload of one RTP packet of a VP9 stream (RFC 9628 §4.2): its descriptor, the scalability structure
/// where it has one, and the piece of the frame.
///
///     let payload = try VP9Payload(parsing: packet.payload)
///     if payload.descriptor.startsFrame { … }
///     frame.append(payload.piece)
///
/// It lives no longer than the bytes. It may be made of any bytes: what is no VP9 payload throws.
public struct VP9Payload: ~Escapable {
    /// What is said of the frame.
    public let descriptor: VP9PayloadDescriptor
    /// SS, where the packet has one.
    public let scalabilityStructure: VP9ScalabilityStructure?
    /// The frame's bytes in this packet, at least one.
    public let piece: Span<UInt8>

    /// A payload of these parts, to be written.
    @_lifetime(copy scalabilityStructure, copy piece)
    public init(
        descriptor: VP9PayloadDescriptor, scalabilityStructure: VP9ScalabilityStructure? = nil, piece: Span<UInt8>
    ) {
        self.descriptor = descriptor
        self.scalabilityStructure = scalabilityStructure
        self.piece = piece
    }

    /// Takes a payload apart. Reserved bits are passed over, as the RFC asks.
    ///
    /// - Throws: `truncated`, `missingPictureID`, `tooManyReferences`, or `emptyPayload` when no byte of a frame follows.
    @_lifetime(copy payload)
    @inline(__always)  // On the way of every packet.
    public init(parsing payload: Span<UInt8>) throws(RTPError) {
        var reader = ByteReader(payload)
        let (descriptor, hasScalabilityStructure) = try VP9PayloadDescriptor.parse(&reader)
        var end = reader.position
        if hasScalabilityStructure {
            let structure = try VP9ScalabilityStructure(parsing: payload.extracting(end...))
            end += structure.byteCount
            scalabilityStructure = structure
        } else {
            scalabilityStructure = nil
        }
        guard end < payload.count else { throw .emptyPayload }
        self.descriptor = descriptor
        piece = payload.extracting(end...)
    }

    /// Bytes of the whole payload.
    public var byteCount: Int { descriptor.byteCount + (scalabilityStructure?.byteCount ?? 0) + piece.count }

    /// Appends the payload. `output` has room for `byteCount` bytes; too little is the programmer's mistake, and so are
    /// fields beyond their bits.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        descriptor.write(into: &output, hasScalabilityStructure: scalabilityStructure != nil)
        scalabilityStructure?.write(into: &output)
        output.append(copying: piece)
    }
}
