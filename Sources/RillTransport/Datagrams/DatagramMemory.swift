import CSockets
import Glibc

/// The memory of a batch of datagrams: a slot of bytes for each, and what the system's calls of many messages take with it.
///
/// One owner.
@safe
final class DatagramMemory {
    let capacity: Int
    let datagramByteCount: Int
    /// From the first byte of one slot to that of the next.
    private let stride: Int
    private let base: UnsafeMutableRawPointer
    /// For each slot: the bytes to send or to receive into.
    @unsafe let vectors: UnsafeMutablePointer<CSockets_vector>
    /// For each message: what the system is told of it.
    @unsafe let messages: UnsafeMutablePointer<CSockets_message>
    /// For each message: an address.
    @unsafe let addresses: UnsafeMutablePointer<sockaddr_storage>
    /// For each message: its control messages.
    @unsafe private let controls: UnsafeMutableRawPointer

    /// Bytes of a message's control messages, at the most.
    static let controlByteCount = CSockets_control_size
    private static let lineByteCount = 64

    init(capacity: Int, datagramByteCount: Int) {
        precondition(capacity > 0 && datagramByteCount > 0, "room for \(capacity) of \(datagramByteCount) bytes")
        self.capacity = capacity
        self.datagramByteCount = datagramByteCount
        let line = DatagramMemory.lineByteCount
        stride = (datagramByteCount + line - 1) / line * line
        unsafe base = .allocate(byteCount: capacity * stride, alignment: line)
        unsafe vectors = .allocate(capacity: capacity)
        unsafe messages = .allocate(capacity: capacity)
        unsafe addresses = .allocate(capacity: capacity)
        unsafe controls = .allocate(byteCount: capacity * DatagramMemory.controlByteCount, alignment: 16)
        // Bytes that nobody has written are zero, and not somebody else's.
        unsafe base.initializeMemory(as: UInt8.self, repeating: 0, count: capacity * stride)
        unsafe vectors.initialize(repeating: CSockets_vector(), count: capacity)
        unsafe messages.initialize(repeating: CSockets_message(), count: capacity)
        unsafe addresses.initialize(repeating: sockaddr_storage(), count: capacity)
        let controlByteCount = capacity * DatagramMemory.controlByteCount
        unsafe controls.initializeMemory(as: UInt8.self, repeating: 0, count: controlByteCount)
        for slot in 0..<capacity {
            unsafe vectors[slot] = CSockets_vector(base: base + slot * stride, byteCount: datagramByteCount)
        }
    }

    deinit {
        unsafe base.deallocate()
        unsafe vectors.deallocate()
        unsafe messages.deallocate()
        unsafe addresses.deallocate()
        unsafe controls.deallocate()
    }

    /// Where a message's control messages stand, aligned to eight.
    @unsafe func control(_ index: Int) -> UnsafeMutableRawPointer {
        unsafe controls + index * DatagramMemory.controlByteCount
    }

    /// The first `count` bytes of a slot, as long as this object is there and nobody writes to them: the batch sees to that.
    @_lifetime(borrow self)
    func bytes(_ slot: Int, _ count: Int) -> Span<UInt8> {
        let start = unsafe pointer(slot, count)
        let span = unsafe Span(_unsafeStart: start, count: count)
        return unsafe _overrideLifetime(span, borrowing: self)
    }

    /// Calls `body` with the first `count` bytes of a slot.
    func withBytes<Value: ~Copyable>(_ slot: Int, _ count: Int, _ body: (inout MutableSpan<UInt8>) -> Value) -> Value {
        var span = unsafe MutableSpan(_unsafeStart: pointer(slot, count), count: count)
        defer { withExtendedLifetime(self) {} }
        return body(&span)
    }

    /// Has a slot written anew, and gives how many bytes it has then.
    func write(_ slot: Int, _ write: (inout OutputSpan<UInt8>) -> Void) -> Int {
        let start = unsafe pointer(slot, datagramByteCount)
        let buffer = unsafe UnsafeMutableBufferPointer(start: start, count: datagramByteCount)
        var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
        write(&output)
        return unsafe output.finalize(for: buffer)
    }

    /// How many bytes of a slot are to be sent.
    func setByteCount(_ count: Int, of slot: Int) {
        precondition(slot >= 0 && slot < capacity && count <= datagramByteCount, "no such bytes in the batch")
        unsafe vectors[slot].byteCount = count
    }

    @unsafe private func pointer(_ slot: Int, _ count: Int) -> UnsafeMutablePointer<UInt8> {
        precondition((0..<capacity).contains(slot) && (0...datagramByteCount).contains(count), "not bytes of the batch")
        return unsafe (base + slot * stride).assumingMemoryBound(to: UInt8.self)
    }
}
