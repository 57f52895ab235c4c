/// Where the packets of a frame lie in the packet buffer, as far as they have come.
struct FrameExtent {
    /// The lowest and the highest sequence number.
    var first: Int64
    var last: Int64
    /// Bytes of the frame in them.
    var byteCount: Int
    /// The array that the frame's bytes begin in, as far as its packets came in order.
    var array: FrameMemory.Place?
}
