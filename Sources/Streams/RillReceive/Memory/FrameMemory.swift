import RillCore

/// The bytes of frames whose packets arrive in order. Each frame has its own array, which is finally exchanged for
/// the caller's array.
///
/// So the bytes of most packets are copied once, contiguously. There are few arrays, enough for what a steady network
/// keeps waiting. Frames that start while all are in use, and packets that arrive out of order, are held in
/// ``PacketMemory``. Each array grows to the largest frame so far.
struct FrameMemory: ~Copyable, Sendable {
    private var arrays = InlineArray<8, [UInt8]>(repeating: [])
    /// Bit `n` is set if array `n` is free. The first free one is taken, so a calm stream uses two that stay in the
    /// cache.
    private var free = UInt8.max
    /// The longest frame that was released, in bytes: arrays grow to this size in one step.
    private var longest = 0

    /// The index of a frame's array.
    typealias Place = UInt8

    /// Takes an array for a frame that starts with `bytes`; `nil` if none is free.
    mutating func begin(_ bytes: Span<UInt8>) -> Place? {
        guard free != 0 else { return nil }
        let place = free.trailingZeroBitCount
        free &= free &- 1
        arrays[place].removeAll(keepingCapacity: true)
        arrays[place].reserveCapacity(longest)
        arrays[place].append(copying: bytes)
        return Place(truncatingIfNeeded: place)
    }

    /// The number of bytes of the frame at `place`.
    @inline(__always)
    mutating func byteCount(at place: Place) -> Int { arrays[Int(place)].count }

    /// Appends the bytes of the next packet to the frame at `place`.
    @inline(__always)
    mutating func append(_ bytes: Span<UInt8>, at place: Place) {
        arrays[Int(place)].append(copying: bytes)
    }

    /// Exchanges the frame at `place` for an array of any content.
    mutating func exchange(_ place: Place, for bytes: inout [UInt8]) {
        swap(&arrays[Int(place)], &bytes)
        longest = max(longest, bytes.count)
        release(place)
    }

    /// Releases an array.
    mutating func release(_ place: Place) {
        free |= 1 << place
    }
}
