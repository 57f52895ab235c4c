/// A frame that is being filled: one owner, one thread, no copies.
///
/// It comes from a ``FramePool``. ``finish(captureTime:colorSpace:)`` consumes it and returns the immutable
/// ``VideoFrame``. If it is dropped unfinished, its buffer returns to the pool.
@safe
public struct MutableFrame: ~Copyable {
    /// The position of the planes.
    public let layout: FrameLayout
    private let base: UnsafeMutablePointer<UInt8>
    private let lease: FrameLease

    package init(layout: FrameLayout, base: UnsafeMutablePointer<UInt8>, lease: FrameLease) {
        self.layout = layout
        unsafe self.base = unsafe base
        self.lease = lease
    }

    /// The size of the picture in pixels.
    public var resolution: Resolution { layout.resolution }

    /// All planes at once, for writing.
    public var planes: MutablePlanes {
        @_lifetime(&self)
        mutating get {
            let y = plane(layout[plane: 0])
            let u = plane(layout[plane: 1])
            let v = layout.format == .i420 ? plane(layout[plane: 2]) : emptyPlane()
            let planes = MutablePlanes(y: y, u: u, v: v)
            // The three views cover different bytes of one block that `self` alone owns.
            return unsafe _overrideLifetime(planes, mutating: &self)
        }
    }

    /// Ends writing and returns the picture, whose bytes never change again.
    ///
    /// - Parameters:
    ///   - captureTime: when the picture was captured, on the source's clock.
    ///   - colorSpace: how its samples map to colors.
    /// - Returns: the finished frame.
    public consuming func finish(captureTime: MediaTime, colorSpace: ColorSpace = .bt601) -> VideoFrame {
        unsafe VideoFrame(
            layout: layout, base: UnsafePointer(base), lease: lease, captureTime: captureTime, colorSpace: colorSpace)
    }

    /// The first byte of plane `index`, for calls into C. C must not keep the pointer.
    @unsafe
    package mutating func mutablePointer(plane index: Int) -> UnsafeMutablePointer<UInt8> {
        unsafe base + layout[plane: index].offset
    }

    @_lifetime(immortal)
    private func plane(_ plane: FrameLayout.Plane) -> MutablePlane {
        let count = (plane.height - 1) * plane.stride + plane.width
        // The layout was checked against the block's size; the caller ties the view to `self`.
        let bytes = unsafe MutableSpan(_unsafeStart: base + plane.offset, count: count)
        let view = MutablePlane(bytes: bytes, stride: plane.stride, width: plane.width, height: plane.height)
        return unsafe _overrideLifetime(view, copying: ())
    }

    @_lifetime(immortal)
    private func emptyPlane() -> MutablePlane {
        let view = unsafe MutablePlane(
            bytes: MutableSpan(_unsafeStart: base, count: 0), stride: 0, width: 0, height: 0)
        return unsafe _overrideLifetime(view, copying: ())
    }
}
