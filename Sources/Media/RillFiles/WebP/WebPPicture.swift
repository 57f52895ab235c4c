/// Wraps VP8 key frames into WebP pictures, which browsers can show. A WebP picture is a VP8 key frame in a RIFF
/// file.
///
/// ```swift
/// let file = WebPPicture.bytes(ofKeyFrame: payload)
/// ```
///
/// A thumbnail takes a few kilobytes, a PNG tens of them. Source: WebP Container Specification, "Simple File Format
/// (Lossy)". The key frame must be shown and have at most 16383x16383 pixels, as all VP8 frames do. The colors are
/// BT.601, limited range.
public enum WebPPicture {
    /// Returns the WebP file for a key frame.
    ///
    /// ```text
    ///  0                   1                   2                   3
    ///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
    /// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
    /// |      'R'      |      'I'      |      'F'      |      'F'      |
    /// |                   File Size, little-endian                    |
    /// |      'W'      |      'E'      |      'B'      |      'P'      |
    /// |      'V'      |      'P'      |      '8'      |      ' '      |
    /// |                   Chunk Size, little-endian                   |
    /// :                  the frame, padded to even                    :
    /// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
    /// ```
    ///
    /// File Size counts what follows it.
    ///
    /// - Parameter frame: the bytes of a shown VP8 key frame.
    public static func bytes(ofKeyFrame frame: Span<UInt8>) -> [UInt8] {
        let padding = frame.count & 1
        var file: [UInt8] = []
        file.reserveCapacity(headerByteCount + frame.count + padding)
        file += "RIFF".utf8
        file.append(littleEndian: UInt32(headerByteCount - 8 + frame.count + padding))
        file += "WEBPVP8 ".utf8
        file.append(littleEndian: UInt32(frame.count))
        for index in frame.indices { file.append(frame[index]) }
        if padding == 1 { file.append(0) }
        return file
    }

    /// The number of bytes before the frame.
    static let headerByteCount = 20
}
