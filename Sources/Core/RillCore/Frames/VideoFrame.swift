/// A picture: immutable, and shared by any number of stages and threads without copying its pixels.
///
/// When the last copy of this value goes, the buffer returns to its ``FramePool``. The value itself is as large as
/// two cache lines plus the timestamps.
///
/// ```swift
/// let luma = frame.y
/// for row in 0..<luma.height { histogram.add(luma.row(row)) }
/// ```
@safe
public struct VideoFrame: @unchecked Sendable {
    // Manually Sendable: the bytes at `base` do not change while `lease` lives, and every copy holds it.

    /// The position of the planes.
    public let layout: FrameLayout
    /// When the picture was captured, on its source's clock. For a clip, the time since its start.
    public var captureTime: MediaTime
    /// How the samples map to colors.
    public var colorSpace: ColorSpace
    /// The rotation that brings the picture upright. Sizes, crops and planes refer to the picture before that
    /// rotation.
    public var rotation = Rotation.none
    /// Whether this picture does not continue the ones before it: a lost camera is back, or the source changed. Every
    /// layer sends it as a key frame.
    public var isDiscontinuity = false
    /// The stages that the frame has passed, with timestamps on the pipeline's clock.
    public var timestamps = FrameTimestamps()

    private let base: UnsafePointer<UInt8>
    private let lease: FrameLease

    package init(
        layout: FrameLayout, base: UnsafePointer<UInt8>, lease: FrameLease, captureTime: MediaTime,
        colorSpace: ColorSpace
    ) {
        self.layout = layout
        unsafe self.base = unsafe base
        self.lease = lease
        self.captureTime = captureTime
        self.colorSpace = colorSpace
    }

    /// How the samples are arranged in memory.
    public var format: PixelFormat { layout.format }
    /// The size of the picture in pixels.
    public var resolution: Resolution { layout.resolution }

    /// Luma.
    public var y: Plane {
        @_lifetime(borrow self)
        borrowing get { self[plane: 0] }
    }
    /// Blue-difference chroma; for ``PixelFormat/nv12``, interleaved U and V.
    public var u: Plane {
        @_lifetime(borrow self)
        borrowing get { self[plane: 1] }
    }
    /// Red-difference chroma. Traps for ``PixelFormat/nv12``, which does not have this plane.
    public var v: Plane {
        @_lifetime(borrow self)
        borrowing get { self[plane: 2] }
    }

    /// The plane with that index: 0 is Y; 1 and 2 are U and V; with NV12, 1 is the interleaved UV plane.
    public subscript(plane index: Int) -> Plane {
        @_lifetime(borrow self)
        borrowing get {
            let plane = layout[plane: index]
            let count = (plane.height - 1) * plane.stride + plane.width
            // The layout was checked against the block's size; the view is tied to `self` below.
            let bytes = unsafe Span(_unsafeStart: base + plane.offset, count: count)
            let view = Plane(bytes: bytes, stride: plane.stride, width: plane.width, height: plane.height)
            return unsafe _overrideLifetime(view, borrowing: self)
        }
    }

    /// The first byte of plane `index`, for calls into C. C must not write to it, nor keep the pointer longer than
    /// the frame.
    @unsafe
    package func pointer(plane index: Int) -> UnsafePointer<UInt8> {
        unsafe base + layout[plane: index].offset
    }
}

extension VideoFrame {
    /// Finishes `target` with this picture's time, color space, rotation and timestamps.
    package func finished(_ target: consuming MutableFrame) -> VideoFrame {
        var frame = target.finish(captureTime: captureTime, colorSpace: colorSpace)
        frame.rotation = rotation
        frame.isDiscontinuity = isDiscontinuity
        frame.timestamps = timestamps
        return frame
    }
}

extension VideoFrame: CustomStringConvertible, CustomReflectable {
    /// For example `640x480 i420 at 1.500s`, followed by the rotation if the picture is not upright.
    public var description: String {
        "\(resolution) \(format.rawValue) at \(captureTime)"
            + (rotation == .none ? "" : ", rotate by \(rotation.degrees)°")
    }

    /// The frame's properties without the pool that it came from. The pool's state cannot be copied, so `dump` and a
    /// debugger would trap on the default mirror.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "format": format, "resolution": resolution, "captureTime": captureTime, "colorSpace": colorSpace,
                "rotation": rotation,
            ])
    }
}
