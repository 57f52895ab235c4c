import RillCore
import RillTestSupport
import Testing

@testable import RillImage

@Suite struct PixelComparisonTests {
    /// A copy of `frame` in a buffer of its own that has other bytes between the rows, with one sample changed.
    private func copy(_ frame: VideoFrame, changing place: (plane: Int, x: Int, y: Int)? = nil) throws -> VideoFrame {
        var copy = try existing(FramePool(resolution: frame.resolution, capacity: 1).makeFrame())
        var planes = copy.planes
        planes.y.fill(0xAA)
        planes.u.fill(0xAA)
        planes.v.fill(0xAA)
        for plane in 0..<3 {
            for y in 0..<frame[plane: plane].height {
                let source = frame[plane: plane].row(y)
                for x in source.indices {
                    let value = source[x] ^ (place.map { $0 == (plane, x, y) } ?? false ? 1 : 0)
                    switch plane {
                    case 0: planes.y.bytes[y * planes.y.stride + x] = value
                    case 1: planes.u.bytes[y * planes.u.stride + x] = value
                    default: planes.v.bytes[y * planes.v.stride + x] = value
                    }
                }
            }
        }
        var done = copy.finish(captureTime: frame.captureTime + .seconds(1), colorSpace: frame.colorSpace)
        done.rotation = frame.rotation
        return done
    }

    @Test(arguments: [(1, 1), (2, 2), (17, 9), (64, 48), (67, 33), (160, 120)])
    func `Each sample counts, and nothing between the rows does`(width: Int, height: Int) throws {
        var random = SeededGenerator(seed: 21)
        let frame = try TestPictures(Resolution(width: width, height: height)).picture(2)
        #expect(frame.hasSamePixels(as: try copy(frame)))
        for plane in 0..<3 {
            let size = frame.layout[plane: plane]
            let corners = [(0, 0), (size.width - 1, 0), (0, size.height - 1), (size.width - 1, size.height - 1)]
            let others = (0..<20).map { _ in
                (Int.random(in: 0..<size.width, using: &random), Int.random(in: 0..<size.height, using: &random))
            }
            for (x, y) in corners + others {
                let changed = try copy(frame, changing: (plane, x, y))
                #expect(!frame.hasSamePixels(as: changed), "\(width)x\(height), plane \(plane), \(x),\(y)")
            }
        }
    }

    @Test func `Pictures that are to be read otherwise are not the same`() throws {
        let frame = try TestPictures(Resolution(width: 32, height: 32)).picture(0)
        var other = frame
        #expect(frame.hasSamePixels(as: other))
        other.colorSpace = .bt709
        #expect(!frame.hasSamePixels(as: other))
        other = frame
        other.rotation = .clockwise180
        #expect(!frame.hasSamePixels(as: other))
        let smaller = try TestPictures(Resolution(width: 32, height: 30)).picture(0)
        #expect(!frame.hasSamePixels(as: smaller))
        let interleaved = try existing(FramePool(.nv12, resolution: frame.resolution, capacity: 1).makeFrame())
            .finish(captureTime: .zero)
        #expect(!frame.hasSamePixels(as: interleaved))
    }

    private func rowsCompared(_ a: VideoFrame, _ b: VideoFrame) -> (isSame: Bool, rows: Int) {
        var rows = 0
        let isSame = a.hasSamePixels(as: b, countingRows: &rows)
        return (isSame, rows)
    }

    @Test(arguments: [(640, 480), (160, 120), (33, 21), (5, 3)])
    func `Of the same picture each row is compared once, of the same buffer none`(width: Int, height: Int) throws {
        let frame = try TestPictures(Resolution(width: width, height: height)).picture(2)
        let same = rowsCompared(frame, try copy(frame))
        #expect(same.isSame && same.rows == height + 2 * ((height + 1) / 2))
        let itself = rowsCompared(frame, frame)
        #expect(itself.isSame && itself.rows == 0)
    }

    @Test func `A changing picture costs a row, a change of sixteen rows a sixteenth of them`() throws {
        let pictures = try TestPictures(Resolution(width: 640, height: 480))
        let moving = rowsCompared(pictures.picture(0), pictures.picture(1))
        #expect(!moving.isSame && moving.rows == 1)
        let frame = pictures.picture(0)
        for y in [0, 100, 231, 464] {
            // A change of one column and sixteen rows.
            var changed = try existing(FramePool(resolution: frame.resolution, capacity: 1).makeFrame())
            var planes = changed.planes
            planes.y.bytes.copy(from: frame.y.bytes)
            planes.u.bytes.copy(from: frame.u.bytes)
            planes.v.bytes.copy(from: frame.v.bytes)
            for row in y..<y + 16 { planes.y.bytes[row * planes.y.stride + 300] ^= 0x40 }
            let found = rowsCompared(frame, changed.finish(captureTime: .zero))
            #expect(!found.isSame && found.rows <= 480 / 16, "at row \(y)")
        }
    }

    @Test func `The number rises with each picture that differs from the one before it`() throws {
        let pictures = try TestPictures(Resolution(width: 64, height: 48))
        let (a, b) = (pictures.picture(0), pictures.picture(1))
        let again = try copy(a)
        var changes = PictureChangeCounter()
        #expect(changes.number == 0)
        let numbers = [a, a, again, b, b, a, again].map { changes.add($0) }
        #expect(numbers == [1, 1, 1, 2, 2, 3, 3] && changes.number == 3)
    }

    @Test func `One buffer is kept, the newest`() throws {
        let pools = try (0..<4).map { _ in try FramePool(resolution: .qqvga, capacity: 1) }
        let picture = try TestPictures(.qqvga).picture(0)
        var changes = PictureChangeCounter()
        for (index, pool) in pools.enumerated() {
            let number = changes.add(try #require(picture.copied(into: pool)))
            #expect(number == 1)
            #expect(pools.map(\.statistics.inUse) == pools.indices.map { $0 == index ? 1 : 0 })
        }
    }
}
