import RillCore
import RillTestSupport
import Testing

@testable import RillBeauty

/// How long it takes until a face is known, in frames of thirty a second.
@Suite(
    .enabled(if: Clip.isThere, "RILL_MEDIA is not set"), .enabled(if: hasFaceCascade, "opencv-data is not installed"))
struct FaceLatencyTests {
    /// Frames that come again and again, unchanged or moved to the right.
    private struct Frames {
        var frames: [VideoFrame] = []
        var moved: [VideoFrame] = []
        /// A picture without a face.
        var empty: VideoFrame

        init(_ clip: Clip) throws {
            let pool = try FramePool(resolution: Resolution(width: 640, height: 480), capacity: 64)
            var (frames, moved): ([VideoFrame], [VideoFrame]) = ([], [])
            var empty: VideoFrame?
            try clip.forEachFrame { number, frame in
                // Every fourth frame four times: half of the memory, and harder than the clip.
                if number % 4 == 0 {
                    frames.append(try existing(frame.moved(by: 0, pool)))
                    moved.append(try existing(frame.moved(by: 80, pool)))
                    if empty == nil { empty = try existing(frame.moved(by: 1000, pool)) }
                }
            }
            self.frames = frames
            self.moved = moved
            self.empty = try existing(empty)
        }
    }

    /// The frames until a face is known, and until one that was away is known at its new place, from each start.
    private func latencies(_ frames: Frames) throws -> (new: [Int], again: [Int]) {
        let cascade = try FaceCascade(openCVFile: FaceCascade.installedFile)
        let pool = try FramePool(resolution: frames.empty.resolution, capacity: 1)
        var (new, again): ([Int], [Int]) = ([], [])
        for start in stride(from: 0, to: 4 * frames.frames.count, by: frames.frames.count) {
            var filter = BeautyFilter(.natural, cascade: cascade)
            var (number, count) = (start, 0)
            func next(_ list: [VideoFrame]) -> VideoFrame {
                number += 1
                return list[number / 4 % list.count]
            }
            while filter.faces.isEmpty, count < 300 {
                _ = try filter.apply(to: next(frames.frames), into: pool)
                count += 1
            }
            new.append(count)
            for _ in 0..<30 { _ = try filter.apply(to: next(frames.frames), into: pool) }
            for _ in 0..<45 { _ = try filter.apply(to: frames.empty, into: pool) }
            let before = filter.faces
            count = 0
            while !filter.faces.contains(where: { face in before.allSatisfy { abs($0.x - face.x) > 40 } }), count < 300
            {
                _ = try filter.apply(to: next(frames.moved), into: pool)
                count += 1
            }
            again.append(count)
        }
        return (new.sorted(), again.sorted())
    }

    @Test(arguments: ["book", "thanks"])
    func `A new face is known within three seconds, and one that was away within one`(name: String) throws {
        let (new, again) = try latencies(Frames(.named(name)))
        note("\(name): new after \(new) frames, again after \(again)")
        #expect((new.last ?? 300) <= 90 && (again.last ?? 300) <= 30, "\(name): \(new), \(again)")
    }
}

extension VideoFrame {
    /// The picture moved to the right; its left column fills what becomes free.
    fileprivate func moved(by distance: Int, _ pool: FramePool) throws -> VideoFrame? {
        guard var target = pool.makeFrame() else { return nil }
        var planes = target.planes
        for row in 0..<y.height {
            var luma = planes.y.row(row)
            for x in luma.indices { luma[x] = y[max(0, x - distance), row] }
        }
        for row in 0..<u.height {
            var blue = planes.u.row(row)
            for x in blue.indices { blue[x] = u[max(0, x - distance / 2), row] }
            var red = planes.v.row(row)
            for x in red.indices { red[x] = v[max(0, x - distance / 2), row] }
        }
        return target.finish(captureTime: .zero)
    }
}
