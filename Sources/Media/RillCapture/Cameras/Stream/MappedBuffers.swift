internal import CV4L2
import Glibc
import RillCore

/// The driver's buffers, mapped into memory. The mappings end with this value.
@safe
struct MappedBuffers: ~Copyable {
    private let calls: any DeviceCalls
    private var mappings: [Mapping] = []
    /// The number of memory regions per buffer: several if each plane has its own.
    let memoriesPerBuffer: Int

    @safe
    private struct Mapping {
        let base: UnsafeMutableRawPointer
        let byteCount: Int
    }

    /// The number of buffers.
    var count: Int { mappings.count / memoriesPerBuffer }

    /// Requests `wanted` buffers from the driver and maps them. The driver may choose another number.
    ///
    /// - Throws: ``CameraError/callFailed(_:path:code:)``.
    init(
        _ wanted: Int, memoriesPerBuffer: Int, of node: borrowing VideoNode
    ) throws(CameraError) {
        calls = node.calls
        self.memoriesPerBuffer = memoriesPerBuffer
        var request = v4l2_requestbuffers()
        request.count = UInt32(wanted)
        request.type = node.bufferType
        request.memory = V4L2_MEMORY_MMAP.rawValue
        try node.request(CV4L2_REQBUFS, &request, as: .requestBuffers)
        // A driver returns at least as many as it needs. A single buffer cannot be filled while it is read.
        guard (2...32).contains(request.count) else {
            throw .callFailed(.requestBuffers, path: node.path, code: ENOMEM)
        }
        for index in 0..<request.count { try map(index, of: node) }
    }

    deinit {
        // Each was mapped once, with that size.
        for mapping in mappings { unsafe calls.unmap(mapping.base, byteCount: mapping.byteCount) }
    }

    private mutating func map(_ index: UInt32, of node: borrowing VideoNode) throws(CameraError) {
        let planes = PlaneRecords()
        var buffer = unsafe node.buffer(index, planes)
        try unsafe node.request(CV4L2_QUERYBUF, &buffer, as: .mapBuffer)
        for memory in 0..<memoriesPerBuffer {
            let (byteCount, offset) =
                unsafe node.isMultiPlanar
                ? (Int(planes.base[memory].length), Int(planes.base[memory].m.mem_offset))
                : (Int(buffer.length), Int(buffer.m.offset))
            guard byteCount > 0 else { throw .callFailed(.mapBuffer, path: node.path, code: EINVAL) }
            switch unsafe calls.map(node.descriptor, byteCount: byteCount, offset: offset) {
            case .success(let base): unsafe mappings.append(Mapping(base: base, byteCount: byteCount))
            case .failure(let error): throw .callFailed(.mapBuffer, path: node.path, code: error.code)
            }
        }
    }

    /// One memory region of a buffer. The driver must not fill it while it is read.
    @unsafe
    func memory(_ memory: Int, ofBuffer index: Int) -> UnsafeBufferPointer<UInt8> {
        let mapping = mappings[index * memoriesPerBuffer + memory]
        // The mapping has that size.
        return unsafe UnsafeBufferPointer(
            start: mapping.base.assumingMemoryBound(to: UInt8.self), count: mapping.byteCount)
    }
}

/// The memory where the multi-planar API describes each plane of a buffer.
@safe
final class PlaneRecords {
    static let count = Int(VIDEO_MAX_PLANES)
    /// ``count`` records.
    @unsafe let base: UnsafeMutablePointer<v4l2_plane>

    init() {
        // Initialized here, so that the kernel never reads uninitialized memory.
        unsafe base = .allocate(capacity: PlaneRecords.count)
        unsafe base.initialize(repeating: v4l2_plane(), count: PlaneRecords.count)
    }

    deinit {
        unsafe base.deallocate()
    }
}

extension VideoNode {
    /// The request record for buffer `index`. It is valid as long as `planes`.
    @unsafe
    func buffer(_ index: UInt32, _ planes: PlaneRecords) -> v4l2_buffer {
        var buffer = unsafe v4l2_buffer()
        unsafe buffer.index = index
        unsafe buffer.type = bufferType
        unsafe buffer.memory = V4L2_MEMORY_MMAP.rawValue
        if isMultiPlanar {
            unsafe buffer.m.planes = planes.base
            unsafe buffer.length = UInt32(PlaneRecords.count)
        }
        return unsafe buffer
    }
}
