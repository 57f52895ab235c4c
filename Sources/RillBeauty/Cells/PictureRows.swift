import RillCore

/// The rows of a plane of a frame, for kernels: nothing outside of its width may be touched.
@safe
struct PictureRows {
    let width: Int
    let height: Int
    private let base: UnsafeMutablePointer<UInt8>
    private let stride: Int

    /// The rows of a frame that is only read. They must not outlive it.
    init(reading frame: borrowing VideoFrame, plane index: Int) {
        let plane = frame.layout[plane: index]
        (width, height, stride) = (plane.width, plane.height, plane.stride)
        // Never written through: `Row` is one type for both.
        unsafe base = UnsafeMutablePointer(mutating: frame.pointer(plane: index))
    }

    /// The rows of a frame that is being filled. They must not outlive it.
    init(writing frame: inout MutableFrame, plane index: Int) {
        let plane = frame.layout[plane: index]
        (width, height, stride) = (plane.width, plane.height, plane.stride)
        unsafe base = frame.mutablePointer(plane: index)
    }

    /// The rows of a plane of cells, without their padding. They must not outlive it.
    init(reading cells: borrowing CellPlane) {
        (width, height, stride) = (cells.width, cells.height, cells.stride)
        unsafe base = cells.firstSample
    }

    /// Row `y`, from 0 to `height` - 1.
    @inline(__always)
    func row(_ y: Int) -> Row {
        assert(y >= 0 && y < height, "row \(y) of \(height)")
        // The layout was checked against the block's size when the frame was made.
        return unsafe Row(base + y * stride, 0..<width)
    }

    /// The row that is nearest to `y`, which may lie outside.
    @inline(__always)
    func nearestRow(_ y: Int) -> Row { row(max(0, min(height - 1, y))) }
}
