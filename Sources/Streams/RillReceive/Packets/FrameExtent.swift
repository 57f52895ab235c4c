/// The range of a frame's packets in the packet buffer, as far as they have arrived.
struct FrameExtent {
    /// The lowest and the highest sequence number.
    var first: Int64
    var last: Int64
    /// Bytes of the frame in them.
    var byteCount: Int
    /// The array that the frame's bytes start in, as far as its packets arrived in order.
    var array: FrameMemory.Place?
}
