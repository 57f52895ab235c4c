import RillCore

/// The bytes of frames whose packets come in order: each frame's in an array of its own, which in the end goes to the
/// caller in exchange for his.
///
/// So the bytes of most packets are copied once, and behind each other. There are few arrays, enough for what an even
/// network keeps waiting; frames that begin while all are taken, and packets that come out of order, are held in
/// ``PacketMemory``. Each array grows to the largest frame that there was.
struct FrameMemory: ~Copyable, Sendable {
    private var arrays = InlineArray<8, [UInt8]>(repeating: [])
    /// Bit `n` says that array `n` is free. The first one is taken, so a calm stream keeps to two that stay in the cache.
    private var free = UInt8.max
    /// The longest frame that was handed out, in bytes: what arrays are grown to in one step.
    private var longest = 0

    /// Which array a frame lies in.
    typealias Place = UInt8

    /// Takes an array for a frame that begins with `bytes`; `nil` if none is free.
    mutating func begin(_ bytes: Span<UInt8>) -> Place? {
        guard free != 0 else { return nil }
        let place = free.trailingZeroBitCount
        free &= free &- 1
        arrays[place].removeAll(keepingCapacity: true)
        arrays[place].reserveCapacity(longest)
        arrays[place].append(copying: bytes)
        return Place(truncatingIfNeeded: place)
    }

    /// Bytes of the frame at `place`.
    @inline(__always)
    mutating func byteCount(at place: Place) -> Int { arrays[Int(place)].count }

    /// Appends the bytes of its next packet to the frame at `place`.
    @inline(__always)
    mutating func append(_ bytes: Span<UInt8>, at place: Place) {
        arrays[Int(place)].append(copying: bytes)
    }

    /// Gives the bytes of the frame at `place` in exchange for an array of whatever content.
    mutating func exchange(_ place: Place, for bytes: inout [UInt8]) {
        swap(&arrays[Int(place)], &bytes)
        longest = max(longest, bytes.count)
        release(place)
    }

    /// Takes an array back.
    mutating func release(_ place: Place) {
        free |= 1 << place
    }
}
