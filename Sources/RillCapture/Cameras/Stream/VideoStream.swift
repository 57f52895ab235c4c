internal import CV4L2
import Glibc
import RillCore

/// A camera that streams: its node, and the buffers that go to and fro between the driver and us.
///
/// Filled buffers are dequeued, looked at, and queued again. Streaming, mappings, buffers and descriptor end with the
/// object. Single owner.
final class VideoStream {
    let settled: SettledMode
    /// Who the camera is.
    var identity: VideoNode.Identity { node.identity }
    var path: String { node.path }

    private let node: VideoNode
    private let buffers: MappedBuffers
    private let planes = PlaneRecords()
    /// When each buffer was handed to the driver, which cannot have filled it before.
    private var queuedAt: [MediaTime]

    /// Buffers that are asked for: one being filled, one filled, one being read, and one in reserve.
    static let bufferCount = 4

    /// A filled buffer.
    struct Filled {
        var index: Int
        /// Where the data lie in each of its memories.
        var data: (Range<Int>, Range<Int>, Range<Int>)
        /// Whether the driver says that the data are damaged.
        var isDamaged: Bool
        /// The driver's number of the frame, which counts those too that it had no buffer for.
        var sequence: UInt32
        /// When the picture was taken, where the driver has stamped it by the monotonic clock.
        var stamp: MediaTime?
        /// When the buffer was handed to the driver.
        var queuedAt: MediaTime
    }

    /// What a look for a filled buffer ended with.
    enum Dequeued {
        case filled(Filled)
        /// None is filled.
        case none
    }

    /// Brings a camera to a mode and starts it.
    ///
    /// - Parameter fourCC: the very format to take, for tests; `nil` for the best.
    /// - Throws: what ``VideoNode`` throws.
    init(_ node: consuming VideoNode, _ constraints: CameraConstraints, fourCC: FourCC? = nil) throws(CameraError) {
        let settled = try node.settle(constraints, fourCC)
        let memories = node.isMultiPlanar ? settled.layout.bufferCount : 1
        let buffers = try MappedBuffers(Self.bufferCount, memoriesPerBuffer: memories, of: node)
        self.settled = settled
        self.queuedAt = Array(repeating: .zero, count: buffers.count)
        self.node = node
        self.buffers = buffers
        for index in queuedAt.indices { try queue(index) }
        var type = Int32(self.node.bufferType)
        try self.node.request(CV4L2_STREAMON, &type, as: .startStreaming)
    }

    deinit {
        // A device that is gone refuses; its buffers went with it.
        var type = Int32(node.bufferType)
        _ = node.attempt(CV4L2_STREAMOFF, &type)
    }

    /// Hands a buffer to the driver.
    func queue(_ index: Int) throws(CameraError) {
        var buffer = unsafe node.buffer(UInt32(index), planes)
        queuedAt[index] = node.calls.now
        try unsafe node.request(CV4L2_QBUF, &buffer, as: .queueBuffer)
    }

    /// Takes the buffer that was filled first.
    func dequeue() throws(CameraError) -> Dequeued {
        var buffer = unsafe node.buffer(0, planes)
        switch unsafe node.attempt(CV4L2_DQBUF, &buffer) {
        case 0: break
        case EAGAIN: return .none
        case let code: throw .callFailed(.dequeueBuffer, path: node.path, code: code)
        }
        let index = unsafe Int(buffer.index)
        guard index < buffers.count else { throw .callFailed(.dequeueBuffer, path: node.path, code: EINVAL) }
        let isMonotonic =
            unsafe buffer.flags & UInt32(V4L2_BUF_FLAG_TIMESTAMP_MASK) == UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
        return unsafe .filled(
            Filled(
                index: index, data: data(of: buffer),
                isDamaged: buffer.flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0, sequence: buffer.sequence,
                stamp: isMonotonic ? MediaTime(buffer.timestamp) : nil, queuedAt: queuedAt[index]))
    }

    private func data(of buffer: v4l2_buffer) -> (Range<Int>, Range<Int>, Range<Int>) {
        guard node.isMultiPlanar else { return unsafe (0..<Int(buffer.bytesused), 0..<0, 0..<0) }
        func data(_ plane: Int) -> Range<Int> {
            // There are eight records, all initialised.
            let record = unsafe planes.base[plane]
            // The bytes in use count those before the data too.
            let (start, end) = (Int(record.data_offset), Int(record.bytesused))
            return min(start, end)..<end
        }
        return (data(0), data(1), data(2))
    }

    /// Waits for a filled buffer.
    func wait(until deadline: MediaTime) -> FrameReadiness {
        node.calls.waitForFrame(node.descriptor, until: deadline)
    }

    /// The data of a dequeued buffer, which are there until it is queued again.
    @_lifetime(borrow self)
    func bytes(_ filled: Filled, memory: Int) -> Span<UInt8> {
        let data = memory == 0 ? filled.data.0 : memory == 1 ? filled.data.1 : filled.data.2
        guard memory < buffers.memoriesPerBuffer else {
            let none = Span<UInt8>()
            return unsafe _overrideLifetime(none, borrowing: self)
        }
        let all = unsafe buffers.memory(memory, ofBuffer: filled.index)
        // The mappings live as long as the stream; what a driver says of its bytes is not believed beyond them.
        let bytes = unsafe Span(_unsafeElements: all.extracting(data.clamped(to: 0..<all.count)))
        return unsafe _overrideLifetime(bytes, borrowing: self)
    }
}

extension MediaTime {
    /// A kernel's stamp; one that is no time of this century is never taken for one.
    fileprivate init?(_ time: timeval) {
        guard (0..<1 << 32).contains(time.tv_sec), (0..<1_000_000).contains(time.tv_usec) else { return nil }
        self.init(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_usec) * 1000)
    }
}
