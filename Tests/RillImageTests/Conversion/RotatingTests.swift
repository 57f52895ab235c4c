import RillCore
import RillImage
import RillTestSupport
import Testing

/// What each kernel does, sample by sample: the specification.
private struct Samples {
    var width: Int
    var height: Int
    var values: [UInt8]

    init(_ frame: borrowing VideoFrame, plane: Int) {
        let view = frame[plane: plane]
        (width, height) = (view.width, view.height)
        values = []
        for y in 0..<height { for x in 0..<width { values.append(view[x, y]) } }
    }

    private init(width: Int, height: Int, _ value: (Int, Int) -> UInt8) {
        (self.width, self.height) = (width, height)
        values = []
        for y in 0..<height { for x in 0..<width { values.append(value(x, y)) } }
    }

    private subscript(x: Int, y: Int) -> UInt8 { values[y * width + x] }

    func turned(by rotation: Rotation) -> Samples {
        switch rotation {
        case .none: self
        case .clockwise90: Samples(width: height, height: width) { x, y in self[y, height - 1 - x] }
        case .clockwise180: Samples(width: width, height: height) { x, y in self[width - 1 - x, height - 1 - y] }
        case .clockwise270: Samples(width: height, height: width) { x, y in self[width - 1 - y, x] }
        }
    }

    var mirrored: Samples {
        Samples(width: width, height: height) { x, y in self[width - 1 - x, y] }
    }
}

/// A picture of random samples.
private func noise(_ resolution: Resolution, using random: inout SeededGenerator) throws -> VideoFrame {
    var frame = try existing(FramePool(resolution: resolution, capacity: 1).makeFrame())
    var planes = frame.planes
    for index in planes.y.bytes.indices { planes.y.bytes[index] = .random(in: 0...255, using: &random) }
    for index in planes.u.bytes.indices { planes.u.bytes[index] = .random(in: 0...255, using: &random) }
    for index in planes.v.bytes.indices { planes.v.bytes[index] = .random(in: 0...255, using: &random) }
    return frame.finish(captureTime: .zero + .milliseconds(7), colorSpace: .bt709)
}

@Suite struct TurningTests {
    @Test(arguments: [Rotation.clockwise90, .clockwise180, .clockwise270])
    func `Every size is rotated as specified`(turn: Rotation) throws {
        var random = SeededGenerator(seed: 5)
        for width in 1...33 {
            for height in 1...33 {
                let frame = try noise(Resolution(width: width, height: height), using: &random)
                let pool = try FramePool(resolution: turn.applied(to: frame.resolution), capacity: 1)
                let turned = try #require(frame.rotated(by: turn, into: pool))
                for plane in 0..<3 {
                    let expected = Samples(frame, plane: plane).turned(by: turn).values
                    let actual = Samples(turned, plane: plane).values
                    // Not `#expect` of the arrays themselves: it would print both.
                    #expect((actual == expected) as Bool, "\(width)x\(height) by \(turn), plane \(plane)")
                }
            }
        }
    }

    @Test func `Every size is mirrored as the specification says`() throws {
        var random = SeededGenerator(seed: 6)
        for width in 1...67 {
            for height in 1...5 {
                let frame = try noise(Resolution(width: width, height: height), using: &random)
                let pool = try FramePool(resolution: frame.resolution, capacity: 1)
                let mirrored = try #require(frame.mirrored(into: pool))
                for plane in 0..<3 {
                    let expected = Samples(frame, plane: plane).mirrored.values
                    let actual = Samples(mirrored, plane: plane).values
                    #expect((actual == expected) as Bool, "\(width)x\(height), plane \(plane)")
                }
            }
        }
    }

    @Test(arguments: Rotation.allCases, Rotation.allCases)
    func `The remaining rotation is reported, and all else is kept`(rotation: Rotation, turn: Rotation) throws {
        var frame = try TestPictures(Resolution(width: 34, height: 20)).picture(3)
        frame.rotation = rotation
        frame.timestamps[.captured] = .zero + .milliseconds(2)
        let pool = try FramePool(resolution: turn.applied(to: frame.resolution), capacity: 1)
        let turned = try #require(frame.rotated(by: turn, into: pool))
        #expect((turned.rotation.degrees + turn.degrees - rotation.degrees) % 360 == 0)
        #expect(turned.captureTime == frame.captureTime && turned.timestamps == frame.timestamps)
        #expect(turned.colorSpace == frame.colorSpace)
    }

    @Test func `Scaling, copying and converting do not rotate`() throws {
        var frame = try TestPictures(.qqvga).picture(1)
        frame.rotation = .clockwise270
        var interleaved = try existing(FramePool(.nv12, resolution: .qqvga, capacity: 1).makeFrame())
            .finish(captureTime: .zero)
        interleaved.rotation = .clockwise90
        let pool = try FramePool(resolution: .qqvga, capacity: 3)
        #expect(frame.scaled(into: pool)?.rotation == .clockwise270)
        #expect(frame.copied(into: pool)?.rotation == .clockwise270)
        #expect(interleaved.convertedToI420(into: pool)?.rotation == .clockwise90)
    }

    @Test func `A rotation of zero does not copy`() throws {
        let frame = try TestPictures(.qqvga).picture(0)
        let pool = try FramePool(resolution: .qqvga, capacity: 1)
        let same = frame.rotated(by: .none, into: pool)
        #expect(same?.samples == frame.samples && pool.statistics.handedOut == 0)
    }

    @Test(arguments: Rotation.allCases)
    func `A mirrored picture is upright after its rotation`(rotation: Rotation) throws {
        var frame = try TestPictures(Resolution(width: 38, height: 22)).picture(4)
        frame.rotation = rotation
        let upright = try FramePool(resolution: rotation.applied(to: frame.resolution), capacity: 2)
        let mirrors = try FramePool(resolution: frame.resolution, capacity: 1)
        let mirror = try #require(frame.mirrored(into: mirrors))
        let shown = try #require(mirror.rotated(by: mirror.rotation, into: upright))
        let stood = try #require(frame.rotated(by: rotation, into: upright))
        let expected = try FramePool(resolution: stood.resolution, capacity: 1)
        #expect(shown.samples == stood.mirrored(into: expected)?.samples)
        #expect(shown.rotation == .none)
    }

    @Test func `A dry pool gives nothing`() throws {
        let frame = try TestPictures(.qqvga).picture(0)
        let pool = try FramePool(resolution: .qqvga, capacity: 1)
        let kept = frame.mirrored(into: pool)
        #expect(kept != nil)
        #expect(frame.mirrored(into: pool) == nil)
        #expect(frame.rotated(by: .clockwise180, into: pool) == nil)
        #expect(pool.statistics.misses == 2)
    }
}
