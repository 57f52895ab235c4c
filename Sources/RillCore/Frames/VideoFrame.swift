/// A picture: immutable, shared by as many stages and threads as like without copying its pixels.
///
/// The last copy of this value to go returns the buffer to its ``FramePool``. Size of the value: two cache lines, plus
/// the stamps.
///
///     let luma = frame.y
///     for row in 0..<luma.height { histogram.add(luma.row(row)) }
@safe
public struct VideoFrame: @unchecked Sendable {
    // Sendable by hand: the bytes behind `base` do not change while `lease` lives, and every copy holds it.

    /// Where the planes lie.
    public let layout: FrameLayout
    /// When the picture was taken, on its source's clock; for a clip the time since its start.
    public var captureTime: MediaTime
    /// How the numbers of the picture are to be read.
    public var colorSpace: ColorSpace
    /// How far the picture has to be turned to stand upright. Sizes, crops and planes are those of
    /// the picture as it lies here.
    public var rotation = Rotation.none
    /// Whether nothing that came before leads to this picture: a camera that was lost is back, or the source is another
    /// one. Every layer sends it as a key frame.
    public var isDiscontinuity = false
    /// The stages that the frame has passed, and when, on the pipeline's clock.
    public var stamps = FrameStamps()

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

    /// How the samples lie in memory.
    public var format: PixelFormat { layout.format }
    /// Size of the picture in pixels.
    public var resolution: Resolution { layout.resolution }

    /// Luma.
    public var y: Plane {
        @_lifetime(borrow self)
        borrowing get { self[plane: 0] }
    }
    /// Blue-difference chroma; for ``PixelFormat/nv12``, U and V in turn.
    public var u: Plane {
        @_lifetime(borrow self)
        borrowing get { self[plane: 1] }
    }
    /// Red-difference chroma. An ``PixelFormat/nv12`` frame has none: asking for it is the programmer's mistake.
    public var v: Plane {
        @_lifetime(borrow self)
        borrowing get { self[plane: 2] }
    }

    /// The plane of that number: 0 is Y, then U and V, or the interleaved UV.
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

    /// The first byte of plane `index`, for calls into C, which must not keep it beyond the frame nor write to it.
    @unsafe
    package func pointer(plane index: Int) -> UnsafePointer<UInt8> {
        unsafe base + layout[plane: index].offset
    }
}
