/// The position of the frames in a chunk of VP9: one frame, or a superframe of up to eight.
///
/// A superframe joins several frames of one moment into one chunk, with an index at the end (VP9 bitstream
/// specification, annex B):
///
/// ```text
/// frame 0 | frame 1 | … | superframe_header | frame_sizes | superframe_header
///
///  7 6 5 4 3 2 1 0
/// +-+-+-+-+-+-+-+-+     mag: bytes_per_framesize_minus_1
/// |1 1 0|mag|  n  |     n:   frames_in_superframe_minus_1
/// +-+-+-+-+-+-+-+-+     frame_sizes: n + 1 little-endian numbers of mag + 1 bytes
/// ```
///
/// A chunk whose last byte is not a superframe_header is one frame. Code that only counts chunks sees just the last
/// shown frame of each.
public struct VP9Superframe: Equatable, Sendable {
    /// The most frames in a superframe.
    public static let capacity = 8
    private static let markerMask: UInt8 = 0b1110_0000
    private static let marker: UInt8 = 0b1100_0000

    /// The number of frames: 1 to 8.
    public let frameCount: Int
    /// Whether the chunk ends with an index.
    public let hasIndex: Bool
    private var ends = InlineArray<8, Int>(repeating: 0)

    /// Finds the frames of a chunk. The frames themselves are not parsed.
    ///
    /// - Parameter chunk: the bytes of one chunk.
    /// - Throws: `truncated`, `missingSuperframeIndex` or `invalidSuperframeSize`.
    public init(parsing chunk: Span<UInt8>) throws(BitstreamError) {
        guard let last = chunk.indices.last.map({ chunk[$0] }) else { throw .truncated(needed: 1, available: 0) }
        guard last & VP9Superframe.markerMask == VP9Superframe.marker else {
            frameCount = 1
            hasIndex = false
            ends[0] = chunk.count
            return
        }
        let width = Int(last >> 3 & 3) + 1
        let count = Int(last & 7) + 1
        let indexByteCount = 2 + width * count
        let start = chunk.count - indexByteCount
        // An encoder appends a zero byte to a frame that happens to end like this.
        guard start >= 0, chunk[start] == last else {
            throw .missingSuperframeIndex(byteCount: indexByteCount, available: chunk.count)
        }
        var position = start + 1
        var end = 0
        for index in 0..<count {
            var size = 0
            for byte in 0..<width { size |= Int(chunk[position + byte]) << (8 * byte) }
            position += width
            guard size > 0, size <= start - end else {
                throw .invalidSuperframeSize(index: index, byteCount: size, available: start - end)
            }
            end += size
            ends[index] = end
        }
        frameCount = count
        hasIndex = true
    }

    /// The byte range of frame `index` in the chunk, counted from 0.
    public subscript(index: Int) -> Range<Int> {
        precondition(index >= 0 && index < frameCount, "frame \(index) of \(frameCount)")
        return (index == 0 ? 0 : ends[index - 1])..<ends[index]
    }

    /// The number of shown frames in a chunk; 1 if it cannot be parsed. More than one are spatial layers of one moment.
    static func shownFrameCount(_ chunk: Span<UInt8>) -> Int {
        guard let frames = try? VP9Superframe(parsing: chunk), frames.frameCount > 1 else { return 1 }
        // One whose header cannot be parsed is no picture; the decoder reports it.
        return (0..<frames.frameCount).count { index in
            (try? VP9FrameHeader(parsing: chunk.extracting(frames[index])))?.isShown ?? false
        }
    }

    /// Whether both have the same number of frames at the same positions.
    public static func == (a: VP9Superframe, b: VP9Superframe) -> Bool {
        guard a.frameCount == b.frameCount, a.hasIndex == b.hasIndex else { return false }
        return (0..<a.frameCount).allSatisfy { a.ends[$0] == b.ends[$0] }
    }

    /// Appends the index of a superframe whose frames have `sizes` bytes. Each size takes as many bytes as the
    /// largest needs.
    ///
    /// `sizes` must hold 1 to 8 values, each from 1 to 2³² − 1, and `output` must have room for 34 bytes. Both are
    /// preconditions: they trap.
    @_lifetime(output: copy output)
    public static func writeIndex(sizes: Span<Int>, into output: inout OutputSpan<UInt8>) {
        precondition((1...capacity).contains(sizes.count), "a superframe of \(sizes.count) frames: 1 to 8 fit")
        var largest = 0
        for index in sizes.indices {
            precondition(sizes[index] > 0 && sizes[index] <= UInt32.max, "a frame of \(sizes[index]) bytes")
            largest = max(largest, sizes[index])
        }
        let width = (Int.bitWidth - largest.leadingZeroBitCount + 7) / 8
        let header = marker | UInt8(width - 1) << 3 | UInt8(sizes.count - 1)
        output.append(header)
        for index in sizes.indices {
            for byte in 0..<width { output.append(UInt8(truncatingIfNeeded: sizes[index] >> (8 * byte))) }
        }
        output.append(header)
    }
}
