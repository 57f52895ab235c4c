/// A view of one plane of a frame: rows of bytes, `stride` apart.
///
/// It cannot outlive the frame.
public struct Plane: ~Escapable {
    /// All bytes from the first sample to the last; row `n` starts at `n * stride`.
    public let bytes: Span<UInt8>
    /// Bytes from one row to the next.
    public let stride: Int
    /// Bytes of samples in a row.
    public let width: Int
    /// Rows.
    public let height: Int

    @_lifetime(copy bytes)
    package init(bytes: Span<UInt8>, stride: Int, width: Int, height: Int) {
        self.bytes = bytes
        self.stride = stride
        self.width = width
        self.height = height
    }

    /// The samples of row `y`, counted from the top.
    @_lifetime(copy self)
    public func row(_ y: Int) -> Span<UInt8> {
        bytes.extracting(y * stride..<y * stride + width)
    }

    /// The sample at column `x` of row `y`. For tests and slow paths; rows are faster.
    public subscript(x: Int, y: Int) -> UInt8 {
        precondition(x >= 0 && x < width, "column \(x) of \(width)")
        return bytes[y * stride + x]
    }
}

/// A view of one plane of a frame that is being filled.
public struct MutablePlane: ~Copyable, ~Escapable {
    /// All bytes from the first sample to the last; row `n` starts at `n * stride`.
    public var bytes: MutableSpan<UInt8>
    /// Bytes from one row to the next.
    public let stride: Int
    /// Bytes of samples in a row.
    public let width: Int
    /// Rows.
    public let height: Int

    @_lifetime(copy bytes)
    package init(bytes: consuming MutableSpan<UInt8>, stride: Int, width: Int, height: Int) {
        self.bytes = bytes
        self.stride = stride
        self.width = width
        self.height = height
    }

    /// The samples of row `y`, counted from the top.
    @_lifetime(&self)
    public mutating func row(_ y: Int) -> MutableSpan<UInt8> {
        bytes._mutatingExtracting(y * stride..<y * stride + width)
    }

    /// Sets every sample, and the bytes between the rows, to `value`.
    @_lifetime(self: copy self)
    public mutating func fill(_ value: UInt8) {
        bytes.update(repeating: value)
    }
}

/// The planes of a frame that is being filled, all at once.
///
/// In ``PixelFormat/nv12`` frames `u` is the interleaved UV plane and `v` is empty.
public struct MutablePlanes: ~Copyable, ~Escapable {
    /// Luma.
    public var y: MutablePlane
    /// Blue-difference chroma.
    public var u: MutablePlane
    /// Red-difference chroma.
    public var v: MutablePlane
}

extension MutablePlanes {
    /// Fills the picture with a gray.
    package mutating func fill(gray luma: UInt8) {
        y.fill(luma)
        u.fill(128)
        v.fill(128)
    }

    /// Copies an I420 picture to an even place.
    package mutating func paste(_ picture: VideoFrame, x: Int, y: Int) {
        for line in 0..<picture.y.height {
            var row = self.y.row(y + line)
            row.copy(from: picture.y.row(line), at: x)
        }
        for line in 0..<picture.u.height {
            var uRow = u.row(y / 2 + line)
            uRow.copy(from: picture.u.row(line), at: x / 2)
            var vRow = v.row(y / 2 + line)
            vRow.copy(from: picture.v.row(line), at: x / 2)
        }
    }
}
