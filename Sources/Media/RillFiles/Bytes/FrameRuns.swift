import RillCore

/// The samples of a frame in file order (plane by plane, row by row), as runs of bytes in the frame's block.
///
/// Rows and planes that follow each other without gaps form one run. A 640x480 frame of Rill's own layout is a single
/// run. A 160x120 frame, whose rows are 192 bytes apart, has a run per row.
struct FrameRuns {
    /// The layout of the frame.
    let layout: FrameLayout
    /// The runs, as offsets from the first byte of plane 0.
    let runs: [Range<Int>]
    /// The number of bytes of all samples together.
    let byteCount: Int

    init(_ layout: FrameLayout) {
        var runs: [Range<Int>] = []
        var byteCount = 0
        let origin = layout[plane: 0].offset
        for index in 0..<layout.format.planeCount {
            let plane = layout[plane: index]
            for row in 0..<plane.height {
                let start = plane.offset - origin + row * plane.stride
                if let last = runs.last, last.upperBound == start {
                    runs[runs.count - 1] = last.lowerBound..<start + plane.width
                } else {
                    runs.append(start..<start + plane.width)
                }
            }
            byteCount += plane.width * plane.height
        }
        self.layout = layout
        self.runs = runs
        self.byteCount = byteCount
    }

    /// Returns the number of bytes of a frame of that size; the same for I420 and NV12.
    static func byteCount(of resolution: Resolution) -> Int {
        resolution.pixelCount + 2 * resolution.chroma.pixelCount
    }
}
