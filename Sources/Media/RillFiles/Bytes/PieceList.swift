import Glibc

/// A list of memory pieces that `readv(2)` fills or `writev(2)` writes in order, with the progress so far.
///
/// It lets a frame with separate rows be read and written without a copy. The list is created once and reused for
/// every frame. It only holds addresses: the code that fills it keeps the memory valid until it is emptied.
@safe
struct PieceList: ~Copyable {
    private var storage: UnsafeMutablePointer<iovec>
    private var capacity: Int
    private var first = 0
    private var end = 0

    /// The maximum number of pieces that Linux accepts per call (`UIO_MAXIOV`).
    private static let maximumPerCall = 1024

    init() {
        capacity = 4
        unsafe storage = .allocate(capacity: capacity)
    }

    deinit {
        unsafe storage.deallocate()
    }

    var isEmpty: Bool { first == end }

    mutating func removeAll() {
        first = 0
        end = 0
    }

    /// Adds `count` bytes at `base`. Zero bytes add no piece.
    mutating func append(_ base: UnsafeMutableRawPointer, _ count: Int) {
        guard count > 0 else { return }
        if end == capacity { grow() }
        unsafe (storage + end).initialize(to: iovec(iov_base: base, iov_len: count))
        end += 1
    }

    /// The pieces for the next call.
    var remaining: UnsafeMutableBufferPointer<iovec> {
        unsafe UnsafeMutableBufferPointer(start: storage + first, count: min(end - first, PieceList.maximumPerCall))
    }

    /// Records that the first `count` bytes of the list are done.
    mutating func advance(by count: Int) {
        var count = count
        while count > 0 {
            let length = unsafe storage[first].iov_len
            guard count < length else {
                count -= length
                first += 1
                continue
            }
            unsafe storage[first].iov_base += count
            unsafe storage[first].iov_len = length - count
            return
        }
    }

    /// Fills the pieces from `source` as far as possible. Returns the number of bytes copied.
    mutating func fill(from source: UnsafeRawBufferPointer) -> Int {
        var copied = 0
        while copied < source.count, !isEmpty {
            let piece = unsafe storage[first]
            let count = unsafe min(piece.iov_len, source.count - copied)
            // Both counts are in bounds, and a list to be filled never points into its source.
            unsafe piece.iov_base.copyMemory(from: source.baseAddress! + copied, byteCount: count)
            copied += count
            advance(by: count)
        }
        return copied
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<iovec>.allocate(capacity: 2 * capacity)
        unsafe larger.moveInitialize(from: storage, count: end)
        unsafe storage.deallocate()
        unsafe storage = larger
        capacity *= 2
    }
}
