/// A view of the payload of one VP9 RTP packet (RFC 9628 §4.2): descriptor, optional scalability structure, and piece
/// of the frame.
///
/// ```swift
/// let payload = try VP9Payload(parsing: packet.payload)
/// if payload.descriptor.startsFrame { frame.removeAll(keepingCapacity: true) }
/// frame.append(copying: payload.piece)
/// ```
///
/// The view cannot outlive the bytes. Parsing accepts arbitrary bytes and throws if they are not a VP9 payload.
public struct VP9Payload: ~Escapable {
    /// The payload descriptor.
    public let descriptor: VP9PayloadDescriptor
    /// SS: the scalability structure, if the packet has one.
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

    /// Parses a payload. Ignores reserved bits, as the RFC requires.
    ///
    /// - Throws: `truncated`, `missingPictureID`, `tooManyReferences`, or `emptyPayload` if no frame data follows.
    @_lifetime(copy payload)
    @inline(__always)  // Hot path: runs for every packet.
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

    /// The size of the whole payload in bytes.
    public var byteCount: Int { descriptor.byteCount + (scalabilityStructure?.byteCount ?? 0) + piece.count }

    /// Appends the payload. Traps unless `output` has room for `byteCount` bytes and every field fits its bits.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        descriptor.write(into: &output, hasScalabilityStructure: scalabilityStructure != nil)
        scalabilityStructure?.write(into: &output)
        output.append(copying: piece)
    }
}
