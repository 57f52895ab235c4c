internal import CYUV
public import RillCore

extension VideoFrame {
    /// Rotates the picture, into a frame of `pool`. Returns the picture itself, without a copy, if there is nothing
    /// to rotate.
    ///
    /// ```swift
    /// let upright = frame.rotated(by: frame.rotation, into: pool)  // its rotation is `.none`
    /// ```
    ///
    /// Time, color space and timestamps are kept. ``/RillCore/VideoFrame/rotation`` becomes the remaining rotation.
    /// Each plane is rotated separately, so if a side is odd, chroma is shifted by up to a pixel.
    ///
    /// - Parameters:
    ///   - angle: the clockwise rotation to apply.
    ///   - pool: a pool of I420 frames of the size after the rotation; another size or format traps.
    /// - Returns: the rotated picture, or `nil` if the pool has no free buffer.
    public func rotated(by angle: Rotation, into pool: FramePool) -> VideoFrame? {
        guard angle != .none else { return self }
        checkFits(pool, angle.applied(to: resolution))
        guard var target = pool.makeFrame() else { return nil }
        // The target has this picture's size after the rotation. libyuv accesses memory within both layouts.
        let result = unsafe I420Rotate(
            pointer(plane: 0), Int32(stride(0)), pointer(plane: 1), Int32(stride(1)),
            pointer(plane: 2), Int32(stride(2)),
            target.mutablePointer(plane: 0), Int32(target.stride(0)),
            target.mutablePointer(plane: 1), Int32(target.stride(1)),
            target.mutablePointer(plane: 2), Int32(target.stride(2)),
            Int32(resolution.width), Int32(resolution.height), angle.mode)
        // libyuv refuses only null pointers and empty sizes, which frames do not have.
        precondition(result == 0, "libyuv refused to rotate \(resolution)")
        var rotated = finished(target)
        rotated.rotation = rotation - angle
        return rotated
    }

    /// Mirrors the picture left to right, into a frame of `pool`: for previews, in which people expect a mirror
    /// image.
    ///
    /// Time, color space and timestamps are kept. ``/RillCore/VideoFrame/rotation`` is reversed, so that the mirror
    /// image is also upright after it. Each plane is mirrored separately, so if the width is odd, chroma is shifted
    /// by a pixel.
    ///
    /// - Parameter pool: a pool of I420 frames of this picture's size; another size or format traps.
    /// - Returns: the mirrored picture, or `nil` if the pool has no free buffer.
    public func mirrored(into pool: FramePool) -> VideoFrame? {
        checkFits(pool, resolution)
        guard var target = pool.makeFrame() else { return nil }
        // Both frames have this size. libyuv accesses memory within both layouts.
        let result = unsafe I420Mirror(
            pointer(plane: 0), Int32(stride(0)), pointer(plane: 1), Int32(stride(1)),
            pointer(plane: 2), Int32(stride(2)),
            target.mutablePointer(plane: 0), Int32(target.stride(0)),
            target.mutablePointer(plane: 1), Int32(target.stride(1)),
            target.mutablePointer(plane: 2), Int32(target.stride(2)),
            Int32(resolution.width), Int32(resolution.height))
        // libyuv refuses only null pointers and empty sizes, which frames do not have.
        precondition(result == 0, "libyuv refused to mirror \(resolution)")
        var mirrored = finished(target)
        mirrored.rotation = .none - rotation
        return mirrored
    }

    private func checkFits(_ pool: FramePool, _ size: Resolution) {
        precondition(format == .i420 && pool.layout.format == .i420, "only I420 frames can be rotated and mirrored")
        precondition(
            pool.layout.resolution == size, "a pool of \(pool.layout.resolution) does not fit a picture of \(size)")
    }
}

extension Rotation {
    fileprivate var mode: RotationMode {
        switch self {
        case .none: kRotate0
        case .clockwise90: kRotate90
        case .clockwise180: kRotate180
        case .clockwise270: kRotate270
        }
    }
}
