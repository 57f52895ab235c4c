/// The position of a frame's planes in its one block of memory.
public struct FrameLayout: Hashable, Sendable {
    /// One plane: a rectangle of bytes in the block.
    public struct Plane: Hashable, Sendable {
        /// Bytes from the start of the block to the first sample.
        public var offset: Int
        /// Bytes from one row to the next; at least `width`.
        public var stride: Int
        /// Bytes of samples in a row.
        public var width: Int
        /// Rows.
        public var height: Int

        package init(offset: Int, stride: Int, width: Int, height: Int) {
            self.offset = offset
            self.stride = stride
            self.width = width
            self.height = height
        }

        /// The end of the last row's samples, in bytes from the start of the block.
        var end: Int { offset + (height - 1) * stride + width }
    }

    /// The pixel format.
    public let format: PixelFormat
    /// The size of the picture in pixels.
    public let resolution: Resolution
    /// The minimum size of the block in bytes.
    public let byteCount: Int
    private let first: Plane
    private let second: Plane
    private let third: Plane

    /// The alignment in bytes of every row and plane of frames that Rill's own stages create.
    public static let alignment = 64

    /// Creates the layout of Rill's own stages: planes one after the other, each row aligned to 64 bytes.
    public init(_ format: PixelFormat, _ resolution: Resolution) {
        let chroma = resolution.chroma
        let luma = Plane(
            offset: 0, stride: aligned(resolution.width), width: resolution.width, height: resolution.height)
        let chromaWidth = format == .i420 ? chroma.width : 2 * chroma.width
        let u = Plane(
            offset: luma.stride * luma.height, stride: aligned(chromaWidth), width: chromaWidth, height: chroma.height)
        var v = u
        if format == .i420 { v.offset += u.stride * u.height }
        self.init(format: format, resolution: resolution, planes: (luma, u, v))
    }

    /// Creates a layout from given planes (a decoder's own buffers, a tightly packed file).
    ///
    /// For ``PixelFormat/nv12`` the third plane is ignored. Sizes that do not match the format, and strides smaller
    /// than the width, trap.
    package init(format: PixelFormat, resolution: Resolution, planes: (Plane, Plane, Plane)) {
        let chroma = resolution.chroma
        let chromaWidth = format == .i420 ? chroma.width : 2 * chroma.width
        precondition(planes.0.width == resolution.width && planes.0.height == resolution.height)
        precondition(planes.1.width == chromaWidth && planes.1.height == chroma.height)
        precondition(format == .nv12 || (planes.2.width == chromaWidth && planes.2.height == chroma.height))
        precondition(planes.0.stride >= planes.0.width && planes.1.stride >= planes.1.width)
        precondition(format == .nv12 || planes.2.stride >= planes.2.width)
        precondition(planes.0.offset >= 0 && planes.1.offset >= 0 && planes.2.offset >= 0)
        self.format = format
        self.resolution = resolution
        self.first = planes.0
        self.second = planes.1
        self.third = format == .i420 ? planes.2 : planes.1
        self.byteCount = max(planes.0.end, planes.1.end, self.third.end)
    }

    /// The plane with that index: 0 is Y; 1 and 2 are U and V; with NV12, 1 is the interleaved UV plane.
    public subscript(plane index: Int) -> Plane {
        precondition(index >= 0 && index < format.planeCount, "plane \(index) of \(format.planeCount)")
        return index == 0 ? first : index == 1 ? second : third
    }
}

private func aligned(_ width: Int) -> Int {
    (width + FrameLayout.alignment - 1) / FrameLayout.alignment * FrameLayout.alignment
}
