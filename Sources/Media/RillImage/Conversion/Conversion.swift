internal import CYUV
public import RillCore

extension VideoFrame {
    /// Converts a picture to I420, in a frame of `pool`. Returns the picture itself if it is already I420.
    ///
    /// - Parameter pool: a pool of I420 frames of this picture's size; another size or format traps.
    /// - Returns: the converted picture, or `nil` if the pool has no free buffer.
    public func convertedToI420(into pool: FramePool) -> VideoFrame? {
        guard format == .nv12 else { return self }
        precondition(
            pool.layout.format == .i420 && pool.layout.resolution == resolution,
            "a pool of \(pool.layout.resolution) does not fit a picture of \(resolution)")
        guard var target = pool.makeFrame() else { return nil }
        // libyuv reads and writes within the layouts against which both frames were checked.
        unsafe NV12ToI420(
            pointer(plane: 0), Int32(stride(0)), pointer(plane: 1), Int32(stride(1)),
            target.mutablePointer(plane: 0), Int32(target.stride(0)),
            target.mutablePointer(plane: 1), Int32(target.stride(1)),
            target.mutablePointer(plane: 2), Int32(target.stride(2)),
            Int32(resolution.width), Int32(resolution.height))
        return finished(target)
    }

    /// Copies an I420 picture into a frame of `pool`, for sinks that keep pictures for a long time.
    ///
    /// - Parameter pool: a pool of I420 frames of this picture's size; another size or format traps.
    /// - Returns: the copy, or `nil` if the pool has no free buffer.
    public func copied(into pool: FramePool) -> VideoFrame? {
        precondition(
            format == .i420 && pool.layout.format == .i420 && pool.layout.resolution == resolution,
            "a pool of \(pool.layout.resolution) does not fit a picture of \(resolution)")
        guard var target = pool.makeFrame() else { return nil }
        for plane in 0..<3 {
            let size = layout[plane: plane]
            // Both layouts have the same resolution, so their planes have the same size.
            unsafe CopyPlane(
                pointer(plane: plane), Int32(stride(plane)), target.mutablePointer(plane: plane),
                Int32(target.stride(plane)), Int32(size.width), Int32(size.height))
        }
        return finished(target)
    }
}

extension MutableFrame {
    /// Fills an I420 frame from three planes in foreign memory, which must have at least its size.
    @unsafe
    package mutating func copyI420(
        from planes: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt8>?),
        _ strides: (Int32, Int32, Int32)
    ) {
        precondition(layout.format == .i420, "only I420 frames are filled from three planes")
        // The caller guarantees the source; the target is this frame's own layout.
        unsafe I420Copy(
            planes.0, strides.0, planes.1, strides.1, planes.2, strides.2,
            mutablePointer(plane: 0), Int32(stride(0)), mutablePointer(plane: 1), Int32(stride(1)),
            mutablePointer(plane: 2), Int32(stride(2)), Int32(resolution.width), Int32(resolution.height))
    }
}

extension VideoFrame {
    func stride(_ plane: Int) -> Int { layout[plane: plane].stride }
}

extension MutableFrame {
    func stride(_ plane: Int) -> Int { layout[plane: plane].stride }
}
