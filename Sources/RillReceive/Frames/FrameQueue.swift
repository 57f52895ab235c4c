import RillCore

/// The frames that wait, in decode order: a ring of fixed size that also lets one squeeze in between others.
struct FrameQueue: ~Copyable, Sendable {
    /// Frames in the queue.
    private(set) var count = 0
    private var head = 0
    private var ring: FixedStorage<PendingFrame>

    /// A queue for up to `capacity` frames, a power of two.
    init(capacity: Int) {
        precondition(capacity & (capacity - 1) == 0, "a ring of \(capacity) frames is none of a power of two")
        ring = FixedStorage(repeating: .placeholder, count: capacity)
    }

    /// The `index`th frame in decode order.
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

    /// Puts `frame` before the one at `index`; those behind it, mostly none, move up.
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

    /// Takes out the first frame, which must be there.
    @inline(__always)
    mutating func removeFirst() -> PendingFrame {
        let frame = self[0]
        head = (head + 1) & (ring.count - 1)
        count -= 1
        return frame
    }
}
