package import RillCore

/// Frames of noise: every byte differs from its neighbours, so that a row or plane in the wrong place is seen.
package func noiseFrames(
    _ count: Int, _ resolution: Resolution, format: PixelFormat = .i420, colorSpace: ColorSpace = .bt601,
    layout: FrameLayout? = nil, seed: UInt64 = 1
) throws -> [VideoFrame] {
    let pool = try FramePool(layout: layout ?? FrameLayout(format, resolution), capacity: max(1, count))
    var generator = SeededGenerator(seed: seed)
    return try (0..<count).map { index in
        guard var frame = pool.makeFrame() else { throw TestFailure("the pool is dry") }
        var planes = frame.planes
        fill(&planes.y, using: &generator)
        fill(&planes.u, using: &generator)
        if format == .i420 { fill(&planes.v, using: &generator) }
        return frame.finish(captureTime: MediaTime(nanoseconds: Int64(index) * 33_366_667), colorSpace: colorSpace)
    }
}

private func fill(_ plane: inout MutablePlane, using generator: inout SeededGenerator) {
    for y in 0..<plane.height {
        var row = plane.row(y)
        for x in row.indices { row[x] = UInt8(truncatingIfNeeded: generator.next()) }
    }
}

/// The samples of a frame, plane by plane, without gaps: what raw files hold.
package func samples(of frame: VideoFrame) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in 0..<frame.format.planeCount {
        let plane = frame[plane: index]
        for y in 0..<plane.height { bytes.append(copying: plane.row(y)) }
    }
    return bytes
}

/// All that a source gives until it ends or throws.
package struct Playback {
    package var frames: [[UInt8]] = []
    package var times: [MediaTime] = []
    package var resolutions: [Resolution] = []
    package var colorSpaces: [ColorSpace] = []
    package var error: (any Error)?

    package init(of source: some FrameSource) {
        do {
            while true {
                switch try source.next() {
                case .frame(let frame):
                    frames.append(samples(of: frame))
                    times.append(frame.captureTime)
                    resolutions.append(frame.resolution)
                    colorSpaces.append(frame.colorSpace)
                case .pending: throw TestFailure("a file has nothing to wait for")
                case .noBuffer: throw TestFailure("a frame that nobody holds came back to no pool")
                case .end: return
                }
            }
        } catch {
            self.error = error
        }
    }
}

/// Sizes that show each way of going wrong: one sample, odd sides, rows that are and are not as long as their stride.
package let interestingSizes = [
    Resolution(width: 1, height: 1), Resolution(width: 2, height: 2), Resolution(width: 17, height: 13),
    Resolution(width: 160, height: 120), Resolution(width: 321, height: 241), Resolution(width: 128, height: 64),
]
