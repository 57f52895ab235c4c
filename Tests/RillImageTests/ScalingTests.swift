import RillCore
import RillImage
import RillTestSupport
import Testing

struct ScalingTests {
    @Test(arguments: [
        // source, target, expected rectangle
        (Resolution(width: 640, height: 480), Resolution.qqvga, 0, 0, 640, 480),
        (.hd720, .qqvga, 160, 0, 960, 720),
        (Resolution(width: 480, height: 640), .qqvga, 0, 140, 480, 360),
        (Resolution(width: 161, height: 121), .qqvga, 0, 0, 161, 121),
        (Resolution(width: 1, height: 1), .qqvga, 0, 0, 1, 1),
        (Resolution(width: 16383, height: 1), .qqvga, 8190, 0, 1, 1),
    ])
    func `The crop keeps the target's aspect around the middle`(
        source: Resolution, target: Resolution, x: Int, y: Int, width: Int, height: Int
    ) {
        let crop = CropRegion(centeredIn: source, withAspectOf: target)
        #expect(crop.x == x && crop.y == y, "\(source) to \(target): corner \(crop.x),\(crop.y)")
        #expect(crop.resolution == Resolution(width: width, height: height))
    }

    @Test func `Every crop lies in its picture`() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<10_000 {
            let sides = (0..<4).map { _ in Int.random(in: 1...16383, using: &random) }
            let source = Resolution(width: sides[0], height: sides[1])
            let crop = CropRegion(centeredIn: source, withAspectOf: Resolution(width: sides[2], height: sides[3]))
            #expect(crop.x % 2 == 0 && crop.y % 2 == 0 && crop.x >= 0 && crop.y >= 0)
            #expect(crop.x + crop.resolution.width <= source.width, "\(sides)")
            #expect(crop.y + crop.resolution.height <= source.height, "\(sides)")
        }
    }

    @Test func `A box reduction by whole factors is the mean of its samples`() throws {
        let source = try TestPictures(Resolution(width: 640, height: 480)).picture(5)
        let pool = try FramePool(resolution: .qqvga, capacity: 1)
        let scaled = try #require(source.scaled(into: pool))
        for y in stride(from: 0, to: 120, by: 7) {
            for x in stride(from: 0, to: 160, by: 11) {
                var sum = 0
                for dy in 0..<4 { for dx in 0..<4 { sum += Int(source.y[4 * x + dx, 4 * y + dy]) } }
                let difference = abs(Int(scaled.y[x, y]) - (sum + 8) / 16)
                #expect(difference <= 1, "\(x),\(y)")
            }
        }
        #expect(scaled.captureTime == source.captureTime)
    }

    @Test func `Scaling uses the cropped part`() throws {
        let pool = try FramePool(resolution: Resolution(width: 64, height: 64), capacity: 2)
        var unfinished = try existing(pool.makeFrame())
        var planes = unfinished.planes
        planes.u.fill(128)
        planes.v.fill(128)
        for y in 0..<64 {
            var row = planes.y.row(y)
            for x in row.indices { row[x] = x >= 16 && x < 48 ? 200 : 20 }
        }
        let source = unfinished.finish(captureTime: .zero, colorSpace: .bt709)
        let target = try FramePool(resolution: Resolution(width: 16, height: 32), capacity: 1)
        let crop = CropRegion(centeredIn: source.resolution, withAspectOf: target.layout.resolution)
        let scaled = try #require(source.scaled(crop, into: target))
        #expect(scaled.samples.prefix(16 * 32).allSatisfy { $0 == 200 })
        #expect(scaled.colorSpace == .bt709)
    }

    @Test(arguments: [(1, 1), (3, 3), (17, 13), (161, 119), (640, 480)])
    func `Any size scales to any other`(width: Int, height: Int) throws {
        let source = try TestPictures(Resolution(width: width, height: height)).picture(0)
        for target in [(1, 1), (2, 3), (15, 31), (160, 120), (333, 77)] {
            let pool = try FramePool(resolution: Resolution(width: target.0, height: target.1), capacity: 1)
            for filter in [ScaleFilter.automatic, .box, .bilinear] {
                #expect(source.scaled(into: pool, filter: filter)?.resolution == pool.layout.resolution)
            }
        }
    }

    @Test func `A dry pool gives nothing`() throws {
        let source = try TestPictures(.qqvga).picture(0)
        let pool = try FramePool(resolution: .qqvga, capacity: 1)
        let kept = source.scaled(into: pool)
        #expect(kept != nil)
        #expect(source.scaled(into: pool) == nil)
        #expect(source.copied(into: pool) == nil)
        #expect(pool.statistics.misses == 2)
    }
}

struct ConversionTests {
    @Test(arguments: [(1, 1), (2, 2), (17, 13), (160, 120)])
    func `NV12 taken apart gives its planes`(width: Int, height: Int) throws {
        let resolution = Resolution(width: width, height: height)
        let source = try TestPictures(resolution).picture(2)
        var interleaved = try existing(FramePool(.nv12, resolution: resolution, capacity: 1).makeFrame())
        var planes = interleaved.planes
        for y in 0..<height {
            var row = planes.y.row(y)
            for x in 0..<width { row[x] = source.y[x, y] }
        }
        for y in 0..<source.u.height {
            var row = planes.u.row(y)
            for x in 0..<source.u.width {
                row[2 * x] = source.u[x, y]
                row[2 * x + 1] = source.v[x, y]
            }
        }
        let pool = try FramePool(resolution: resolution, capacity: 1)
        let converted = try #require(
            interleaved.finish(captureTime: source.captureTime).convertedToI420(into: pool))
        #expect(converted.format == .i420)
        #expect(converted.samples == source.samples)
        #expect(converted.captureTime == source.captureTime)
    }

    @Test func `An I420 picture is its own conversion, and a copy equals it`() throws {
        let resolution = Resolution(width: 33, height: 21)
        let source = try TestPictures(resolution).picture(1)
        let pool = try FramePool(resolution: resolution, capacity: 1)
        #expect(source.convertedToI420(into: pool)?.samples == source.samples)
        #expect(pool.statistics.handedOut == 0)
        #expect(source.copied(into: pool)?.samples == source.samples)
        #expect(pool.statistics.handedOut == 1)
    }
}
