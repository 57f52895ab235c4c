import Glibc
public import RillCore

/// Numbers pictures so that consecutive unchanged ones share a number, and need not be coded again.
///
/// ```swift
/// var changes = PictureChangeCounter()
/// let number = changes.add(frame)
/// if number != lastCoded { encode(frame); lastCoded = number }
/// ```
///
/// A pure value. It keeps the latest picture, and so one buffer of its pool. Cost: see
/// ``RillCore/VideoFrame/hasSamePixels(as:)``; no allocation.
public struct PictureChangeCounter: Sendable {
    /// The latest picture's number; 0 before the first.
    public private(set) var number = 0
    private var newest: VideoFrame?

    /// Creates a counter that has seen no picture.
    public init() {}

    /// Adds the next picture. Returns its number: one more than the previous picture's, unless both are the same.
    public mutating func add(_ frame: VideoFrame) -> Int {
        let isSame = newest?.hasSamePixels(as: frame) ?? false
        if !isSame { number += 1 }
        // Also if it is the same, so that the older buffer can return.
        newest = frame
        return number
    }
}

extension VideoFrame {
    /// Whether `other` shows exactly the same picture: equal samples, format, size, color space and rotation. Capture
    /// times may differ.
    ///
    /// Every sixteenth row is compared first. So a difference 16 rows high is found after at most a sixteenth of the
    /// luma, and a camera's noise in the first row. Only equal or nearly equal pictures are read completely, each row
    /// once, at memory speed. Copies of one frame are recognized without reading samples.
    public func hasSamePixels(as other: VideoFrame) -> Bool {
        var rowCount = 0
        return hasSamePixels(as: other, countingRows: &rowCount)
    }

    /// Compares as ``hasSamePixels(as:)`` does, and adds the number of compared rows to `rowCount`.
    func hasSamePixels(as other: VideoFrame, countingRows rowCount: inout Int) -> Bool {
        guard format == other.format, resolution == other.resolution, colorSpace == other.colorSpace,
            rotation == other.rotation
        else { return false }
        // While both frames live, equal addresses mean the same buffer, and buffers do not change.
        guard unsafe pointer(plane: 0) != other.pointer(plane: 0) else { return true }

        let spacing = 16
        let height = resolution.height
        for row in Swift.stride(from: spacing / 2, to: height, by: spacing) {
            guard hasSameRows(row..<row + 1, ofPlane: 0, as: other, countingRows: &rowCount) else { return false }
        }
        // Then the rows in between, including the top.
        for row in Swift.stride(from: -spacing / 2, to: height, by: spacing) {
            let between = max(0, row + 1)..<min(height, row + spacing)
            guard hasSameRows(between, ofPlane: 0, as: other, countingRows: &rowCount) else { return false }
        }
        for plane in 1..<format.planeCount {
            let all = 0..<layout[plane: plane].height
            guard hasSameRows(all, ofPlane: plane, as: other, countingRows: &rowCount) else { return false }
        }
        return true
    }

    /// Compares rows of a plane that has the same size in both frames.
    private func hasSameRows(
        _ rows: Range<Int>, ofPlane index: Int, as other: VideoFrame, countingRows rowCount: inout Int
    ) -> Bool {
        let (mine, theirs) = (layout[plane: index], other.layout[plane: index])
        let a = unsafe pointer(plane: index) + rows.lowerBound * mine.stride
        let b = unsafe other.pointer(plane: index) + rows.lowerBound * theirs.stride
        // Rows of both planes are `width` samples in buffers that live as long as the frames.
        if mine.stride == mine.width, theirs.stride == theirs.width {
            rowCount += rows.count
            return unsafe memcmp(a, b, rows.count * mine.width) == 0
        }
        for row in 0..<rows.count {
            rowCount += 1
            guard unsafe memcmp(a + row * mine.stride, b + row * theirs.stride, mine.width) == 0 else { return false }
        }
        return true
    }
}
