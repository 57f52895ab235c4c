internal import CV4L2
import Glibc
import RillCore

/// A streaming camera: its node, and the buffers that circulate between the driver and Rill.
///
/// Filled buffers are dequeued, read, and queued again. Streaming, mappings, buffers and descriptor end with the
/// object. Single owner.
final class VideoStream {
    let negotiated: NegotiatedMode
    /// The camera's identity.
    var identity: VideoNode.Identity { node.identity }
    var path: String { node.path }

    private let node: VideoNode
    private let buffers: MappedBuffers
    private let planes = PlaneRecords()
    /// When each buffer was passed to the driver, which cannot have filled it earlier.
    private var queuedAt: [MediaTime]

    /// The number of buffers to request: one being filled, one filled, one being read, and one in reserve.
    static let bufferCount = 4

    /// A filled buffer.
    struct Filled {
        var index: Int
        /// The byte range of the data in each of its memory regions.
        var data: (Range<Int>, Range<Int>, Range<Int>)
        /// Whether the driver marked the data as damaged.
        var isDamaged: Bool
        /// The driver's sequence number of the frame. It also counts frames that the driver had no buffer for.
        var sequence: UInt32
        /// When the picture was captured, if the driver's timestamp is on the monotonic clock.
        var stamp: MediaTime?
        /// When the buffer was passed to the driver.
        var queuedAt: MediaTime
    }

    /// Configures a camera and starts it.
    ///
    /// - Parameters:
    ///   - node: the open node.
    ///   - constraints: the requested properties.
    ///   - fourCC: the only format to consider, for tests; `nil` for the best.
    /// - Throws: ``CameraError``.
    init(_ node: consuming VideoNode, _ constraints: CameraConstraints, fourCC: FourCC? = nil) throws(CameraError) {
        let negotiated = try node.negotiate(constraints, fourCC)
        let memories = node.isMultiPlanar ? negotiated.layout.bufferCount : 1
        let buffers = try MappedBuffers(Self.bufferCount, memoriesPerBuffer: memories, of: node)
        self.negotiated = negotiated
        self.queuedAt = Array(repeating: .zero, count: buffers.count)
        self.node = node
        self.buffers = buffers
        for index in queuedAt.indices { try queue(index) }
        var type = Int32(self.node.bufferType)
        try self.node.request(CV4L2_STREAMON, &type, as: .startStreaming)
    }

    deinit {
        // A device that is gone refuses; its buffers are gone too.
        var type = Int32(node.bufferType)
        _ = node.attempt(CV4L2_STREAMOFF, &type)
    }

    /// Passes a buffer to the driver.
    func queue(_ index: Int) throws(CameraError) {
        var buffer = unsafe node.buffer(UInt32(index), planes)
        queuedAt[index] = node.calls.now
        try unsafe node.request(CV4L2_QBUF, &buffer, as: .queueBuffer)
    }

    /// Takes the buffer that was filled first; `nil` if none is.
    func dequeue() throws(CameraError) -> Filled? {
        var buffer = unsafe node.buffer(0, planes)
        switch unsafe node.attempt(CV4L2_DQBUF, &buffer) {
        case 0: break
        case EAGAIN: return nil
        case let code: throw .callFailed(.dequeueBuffer, path: node.path, code: code)
        }
        let index = unsafe Int(buffer.index)
        guard index < buffers.count else { throw .callFailed(.dequeueBuffer, path: node.path, code: EINVAL) }
        let isMonotonic =
            unsafe buffer.flags & UInt32(V4L2_BUF_FLAG_TIMESTAMP_MASK) == UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
        return unsafe Filled(
            index: index, data: data(of: buffer), isDamaged: buffer.flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0,
            sequence: buffer.sequence, stamp: isMonotonic ? MediaTime(buffer.timestamp) : nil,
            queuedAt: queuedAt[index])
    }

    private func data(of buffer: v4l2_buffer) -> (Range<Int>, Range<Int>, Range<Int>) {
        guard node.isMultiPlanar else { return unsafe (0..<Int(buffer.bytesused), 0..<0, 0..<0) }
        func data(_ plane: Int) -> Range<Int> {
            // There are eight records, all initialized.
            let record = unsafe planes.base[plane]
            // `bytesused` includes the bytes before the data.
            let (start, end) = (Int(record.data_offset), Int(record.bytesused))
            return min(start, end)..<end
        }
        return (data(0), data(1), data(2))
    }

    /// Waits for a filled buffer.
    func wait(until deadline: MediaTime) -> FrameReadiness {
        node.calls.waitForFrame(node.descriptor, until: deadline)
    }

    /// The data of a dequeued buffer, valid until it is queued again.
    @_lifetime(borrow self)
    func bytes(_ filled: Filled, memory: Int) -> Span<UInt8> {
        let data = memory == 0 ? filled.data.0 : memory == 1 ? filled.data.1 : filled.data.2
        guard memory < buffers.memoriesPerBuffer else {
            let none = Span<UInt8>()
            return unsafe _overrideLifetime(none, borrowing: self)
        }
        let all = unsafe buffers.memory(memory, ofBuffer: filled.index)
        // The mappings live as long as the stream. Ranges reported by the driver are clamped to them.
        let bytes = unsafe Span(_unsafeElements: all.extracting(data.clamped(to: 0..<all.count)))
        return unsafe _overrideLifetime(bytes, borrowing: self)
    }
}

extension MediaTime {
    /// Converts a kernel timestamp. Returns `nil` if it is not a plausible time.
    fileprivate init?(_ time: timeval) {
        guard (0..<1 << 32).contains(time.tv_sec), (0..<1_000_000).contains(time.tv_usec) else { return nil }
        self.init(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_usec) * 1000)
    }
}
