import RillCore

/// The waiting frames in decode order: a fixed-size ring that also allows insertion.
struct FrameQueue: ~Copyable, Sendable {
    /// The number of frames in the queue.
    private(set) var count = 0
    private var head = 0
    private var ring: FixedStorage<PendingFrame>

    /// Creates a queue for up to `capacity` frames, a power of two.
    init(capacity: Int) {
        precondition(capacity & (capacity - 1) == 0, "a ring of \(capacity) frames is not a power of two")
        ring = FixedStorage(repeating: .placeholder, count: capacity)
    }

    /// The frame at `index` in decode order.
    subscript(index: Int) -> PendingFrame {
        @inline(__always)
        unsafeAddress {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "frame \(index) of \(count)")
            return unsafe ring.ringAddress(of: head &+ index)
        }
        @inline(__always)
        unsafeMutableAddress {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "frame \(index) of \(count)")
            return unsafe ring.mutableRingAddress(of: head &+ index)
        }
    }

    /// Inserts `frame` before the one at `index`; those after it, mostly none, move up.
    mutating func insert(_ frame: PendingFrame, at index: Int) {
        precondition(count < ring.count && index >= 0 && index <= count, "a frame at \(index) of \(count)")
        count += 1
        var place = count - 1
        while place > index {
            self[place] = self[place - 1]
            place -= 1
        }
        self[index] = frame
    }

    /// Removes the first frame, which must exist.
    @inline(__always)
    mutating func removeFirst() -> PendingFrame {
        let frame = self[0]
        head = (head + 1) & (ring.count - 1)
        count -= 1
        return frame
    }
}
