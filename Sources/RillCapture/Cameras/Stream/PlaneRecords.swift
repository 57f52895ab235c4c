internal import CV4L2

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
