package import RillCore
import RillRTP

/// A VP8 frame that is never decoded: header and size are valid (RFC 6386 §9.1), the rest is filler.
package enum SyntheticFrame {
    /// The frame, and its bytes: at least the ten of a key frame's header.
    package static func make(
        _ number: Int64, isKey: Bool, _ resolution: Resolution, at time: MediaTime, byteCount: Int
    ) -> (description: EncodedFrame, bytes: [UInt8]) {
        var bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: max(byteCount, 10))
        (bytes[0], bytes[1], bytes[2]) = (isKey ? 0x10 : 0x11, 2, 0)
        if isKey {
            bytes[3...5] = [0x9D, 0x01, 0x2A]
            bytes[6...9] = [
                UInt8(resolution.width & 0xFF), UInt8(resolution.width >> 8), UInt8(resolution.height & 0xFF),
                UInt8(resolution.height >> 8),
            ]
        }
        let description = EncodedFrame(
            codec: .vp8, layer: StreamLayer(rid: .high), number: number,
            references: isKey ? FrameReferences() : FrameReferences(number - 1), isKey: isKey, resolution: resolution,
            captureTime: time, byteCount: bytes.count)
        return (description, bytes)
    }
}
