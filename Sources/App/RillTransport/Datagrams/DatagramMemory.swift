import CSockets
import Glibc

/// The memory of a batch of datagrams: a slot of bytes for each, and the structures for the system calls.
///
/// One owner.
@safe
final class DatagramMemory {
    let capacity: Int
    let datagramByteCount: Int
    /// The distance between the starts of consecutive slots in bytes.
    private let stride: Int
    private let base: UnsafeMutableRawPointer
    /// For each slot: the bytes to send or to receive into.
    @unsafe let vectors: UnsafeMutablePointer<CSockets_vector>
    /// For each message: its header for the system call.
    @unsafe let messages: UnsafeMutablePointer<CSockets_message>
    /// For each message: its address.
    @unsafe let addresses: UnsafeMutablePointer<sockaddr_storage>
    /// For each message: its control messages.
    @unsafe private let controls: UnsafeMutableRawPointer

    /// The maximum size of a message's control messages in bytes.
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
        // Zeroed, so that bytes that were never written reveal nothing of earlier memory contents.
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

    /// Returns the address of a message's control messages, which is aligned to eight bytes.
    @unsafe func control(_ index: Int) -> UnsafeMutableRawPointer {
        unsafe controls + index * DatagramMemory.controlByteCount
    }

    /// Returns the first `count` bytes of a slot. Valid while this object exists and the bytes are not written, which
    /// the batch ensures.
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

    /// Overwrites a slot with `write` and returns the number of bytes written.
    func write(_ slot: Int, _ write: (inout OutputSpan<UInt8>) -> Void) -> Int {
        let start = unsafe pointer(slot, datagramByteCount)
        let buffer = unsafe UnsafeMutableBufferPointer(start: start, count: datagramByteCount)
        var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
        write(&output)
        return unsafe output.finalize(for: buffer)
    }

    /// Sets the number of bytes of a slot to send.
    func setByteCount(_ count: Int, of slot: Int) {
        precondition(slot >= 0 && slot < capacity && count <= datagramByteCount, "the bytes are not in the batch")
        unsafe vectors[slot].byteCount = count
    }

    @unsafe private func pointer(_ slot: Int, _ count: Int) -> UnsafeMutablePointer<UInt8> {
        precondition((0..<capacity).contains(slot) && (0...datagramByteCount).contains(count), "not in the batch")
        return unsafe (base + slot * stride).assumingMemoryBound(to: UInt8.self)
    }
}
