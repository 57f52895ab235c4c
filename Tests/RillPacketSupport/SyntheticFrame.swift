package import RillCore
import RillRTP

/// A VP8 frame that is never decoded: header and size are valid (RFC 6386 §9.1), the rest is filler.
package enum SyntheticFrame {
    /// The frame, and its bytes: at least the ten of a key frame's header.
    package static func make(
        _ number: Int64, isKey: Bool, _ resolution: Resolution, at time: MediaTime, byteCount: Int,
        codec: VideoCodec = .vp8
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
        if codec == .vp9 {
            let header = vp9Header(isKey: isKey, resolution)
            bytes[..<header.count] = header[...]
            // Some values end a superframe (annex B).
            bytes[bytes.count - 1] = 0
        }
        let description = EncodedFrame(
            codec: codec, layer: StreamLayer(rid: .high), number: number,
            references: isKey ? FrameReferences() : FrameReferences(number - 1), isKey: isKey, resolution: resolution,
            captureTime: time, byteCount: bytes.count)
        return (description, bytes)
    }

    /// The uncompressed header of a shown frame of profile 0, up to its size (VP9 bitstream specification §6.2).
    private static func vp9Header(isKey: Bool, _ resolution: Resolution) -> [UInt8] {
        // The size is that of the first reference.
        guard isKey else { return [0x86, 0, 0, 2] + [UInt8](repeating: 0, count: 6) }
        let (width, height) = (resolution.width - 1, resolution.height - 1)
        // BT.601 in four bits, and then two numbers of 16.
        let bits = UInt64(2) << 36 | UInt64(width) << 20 | UInt64(height) << 4
        return [0x82, 0x49, 0x83, 0x42] + (0..<5).map { UInt8(truncatingIfNeeded: bits >> (32 - 8 * UInt64($0))) } + [0]
    }
}
