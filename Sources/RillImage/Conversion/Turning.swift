internal import CYUV
public import RillCore

extension VideoFrame {
    /// The picture turned, in a frame of `pool`; itself, without a copy, where nothing is to be turned.
    ///
    ///     let upright = frame.rotated(by: frame.rotation, into: pool)  // its rotation is `.none`
    ///
    /// Time, colour space and stamps stay; ``RillCore/VideoFrame/rotation`` becomes what is left of it. Each plane is
    /// turned for itself, so where a side is odd the chroma comes to lie up to a pixel off.
    ///
    /// - Parameter pool: I420 frames of the size after the turn; another size or format is the caller's mistake.
    /// - Returns: `nil` when the pool has run dry.
    public func rotated(by turn: Rotation, into pool: FramePool) -> VideoFrame? {
        guard turn != .none else { return self }
        checkFits(pool, turn.applied(to: resolution))
        guard var target = pool.makeFrame() else { return nil }
        // The target has this picture's size after the turn; libyuv reads and writes within the two layouts.
        let result = unsafe I420Rotate(
            pointer(plane: 0), Int32(stride(0)), pointer(plane: 1), Int32(stride(1)),
            pointer(plane: 2), Int32(stride(2)),
            target.mutablePointer(plane: 0), Int32(target.stride(0)),
            target.mutablePointer(plane: 1), Int32(target.stride(1)),
            target.mutablePointer(plane: 2), Int32(target.stride(2)),
            Int32(resolution.width), Int32(resolution.height), turn.mode)
        // libyuv refuses only null pointers and empty sizes, which frames do not have.
        precondition(result == 0, "libyuv refused to turn \(resolution)")
        var turned = finished(target)
        turned.rotation = rotation - turn
        return turned
    }

    /// The picture with left and right exchanged, in a frame of `pool`: how people know themselves, for previews.
    ///
    /// Time, colour space and stamps stay. ``RillCore/VideoFrame/rotation`` turns the other way round, so that the mirror
    /// image stands upright after it too. Each plane is mirrored for itself, so where the width is odd the chroma comes
    /// to lie a pixel off.
    ///
    /// - Parameter pool: I420 frames of this picture's size; another size or format is the caller's mistake.
    /// - Returns: `nil` when the pool has run dry.
    public func mirrored(into pool: FramePool) -> VideoFrame? {
        checkFits(pool, resolution)
        guard var target = pool.makeFrame() else { return nil }
        // Both frames have this size; libyuv reads and writes within the two layouts.
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
        precondition(format == .i420 && pool.layout.format == .i420, "only I420 frames are turned and mirrored")
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
