import RillCore

/// The samples of a frame in the order of a file (plane by plane, row by row), as runs of bytes in the frame's block.
///
/// Where rows and planes follow each other without gaps they are one run: a 640x480 frame of Rill's own layout is read by
/// one call into one piece of memory; one of 160x120 (chroma rows 80 wide, 128 apart) is a run per chroma row.
struct FrameRuns {
    /// The layout that they are of.
    let layout: FrameLayout
    /// Offsets from the first byte of plane 0.
    let runs: [Range<Int>]
    /// Bytes of all samples together.
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

    /// Bytes of the samples of a frame of that size, the same for I420 and NV12.
    static func byteCount(of resolution: Resolution) -> Int {
        resolution.pixelCount + 2 * resolution.chroma.pixelCount
    }
}
