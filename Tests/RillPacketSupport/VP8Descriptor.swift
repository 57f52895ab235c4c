package import RillRTP

/// What the descriptor at the front of a VP8 payload says, and how many bytes it takes.
package func vp8Descriptor(
    at bytes: Span<UInt8>
) throws(RTPError) -> (descriptor: VP8PayloadDescriptor, byteCount: Int) {
    let payload = try VP8Payload(parsing: bytes)
    return (payload.descriptor, bytes.count - payload.piece.count)
}
