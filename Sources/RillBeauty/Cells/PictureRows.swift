import RillCore

/// The rows of a frame's plane, for kernels. Nothing outside of its width may be accessed.
@safe
struct PictureRows {
    let width: Int
    let height: Int
    private let base: UnsafeMutablePointer<UInt8>
    private let stride: Int

    /// Creates the rows of a frame for reading. They must not outlive it.
    init(reading frame: borrowing VideoFrame, plane index: Int) {
        let plane = frame.layout[plane: index]
        (width, height, stride) = (plane.width, plane.height, plane.stride)
        // Never written through: `Row` serves reading and writing.
        unsafe base = UnsafeMutablePointer(mutating: frame.pointer(plane: index))
    }

    /// Creates the rows of a frame that is being filled. They must not outlive it.
    init(writing frame: inout MutableFrame, plane index: Int) {
        let plane = frame.layout[plane: index]
        (width, height, stride) = (plane.width, plane.height, plane.stride)
        unsafe base = frame.mutablePointer(plane: index)
    }

    /// Creates the rows of a cell plane without their padding. They must not outlive it.
    init(reading cells: borrowing CellPlane) {
        (width, height, stride) = (cells.width, cells.height, cells.stride)
        unsafe base = cells.firstSample
    }

    /// Returns row `y`, from 0 to `height` - 1.
    @inline(__always)
    func row(_ y: Int) -> Row {
        assert(y >= 0 && y < height, "row \(y) of \(height)")
        // The layout was checked against the block's size when the frame was created.
        return unsafe Row(base + y * stride, 0..<width)
    }

    /// Returns the row nearest to `y`, which may be outside.
    @inline(__always)
    func nearestRow(_ y: Int) -> Row { row(max(0, min(height - 1, y))) }
}
