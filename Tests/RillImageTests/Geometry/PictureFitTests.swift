import RillCore
import RillImage
import RillTestSupport
import Testing

@Suite struct PictureFitTests {
    @Test(arguments: [
        // source, target, the part of the target that is filled
        (Resolution.hd720, Resolution.vga, "640x360 at 0,60"),
        (.vga, .hd720, "960x720 at 160,0"),
        (.vga, .qqvga, "160x120 at 0,0"),
        (Resolution(width: 480, height: 640), .vga, "360x480 at 140,0"),
        (Resolution(width: 480, height: 640), Resolution(width: 161, height: 121), "90x121 at 36,0"),
        // 160.0x119.3: the even number next to it is the target's own height.
        (Resolution(width: 161, height: 120), .qqvga, "160x120 at 0,0"),
        (Resolution(width: 1, height: 1), .qqvga, "120x120 at 20,0"),
        (.vga, Resolution(width: 1, height: 1), "1x1 at 0,0"),
        (Resolution(width: 16383, height: 2), .qqvga, "160x2 at 0,58"),
        (Resolution(width: 2, height: 16383), .qqvga, "2x120 at 78,0"),
    ])
    func `The whole picture is shown between bars`(source: Resolution, target: Resolution, expected: String) {
        let fit = PictureFit(source, into: target, .letterbox)
        #expect(fit.placement.description == expected, "\(source) into \(target)")
        #expect(fit.region == CropRegion(all: source))
    }

    @Test func `Cut or stretched, the target is full`() {
        let crop = PictureFit(.hd720, into: .vga, .crop)
        #expect(crop.region == CropRegion(centeredIn: .hd720, withAspectOf: .vga))
        #expect(crop.placement == CropRegion(all: .vga))
        let stretch = PictureFit(.hd720, into: .vga, .stretch)
        #expect(stretch.region == CropRegion(all: .hd720) && stretch.placement == CropRegion(all: .vga))
    }

    @Test func `Both parts are inside their pictures, centered, in shape`() {
        var random = SeededGenerator(seed: 11)
        func side() -> Int {
            let limits = [3, 40, 2000, 16383]
            return .random(in: 1...limits[Int.random(in: 0..<4, using: &random)], using: &random)
        }
        for _ in 0..<20_000 {
            let source = Resolution(width: side(), height: side())
            let target = Resolution(width: side(), height: side())
            for policy in AspectPolicy.allCases {
                let fit = PictureFit(source, into: target, policy)
                let problem = problem(of: fit, source, target, policy)
                #expect(problem == nil, "\(source) into \(target), \(policy): \(problem ?? "") \(fit)")
            }
        }
    }

    /// What is wrong with a fit, if something is.
    private func problem(
        of fit: PictureFit, _ source: Resolution, _ target: Resolution, _ policy: AspectPolicy
    ) -> String? {
        for (part, whole) in [(fit.region, source), (fit.placement, target)] {
            let (width, height) = (part.resolution.width, part.resolution.height)
            if part.x < 0 || part.y < 0 || part.x % 2 != 0 || part.y % 2 != 0 { return "odd corner" }
            if part.x + width > whole.width || part.y + height > whole.height { return "outside" }
        }
        if policy == .stretch { return nil }
        // The part that is cut or placed covers one side wholly, and the other in the aspect of the other picture.
        let (part, whole, shape) =
            policy == .crop ? (fit.region, source, target) : (fit.placement, target, source)
        let (width, height) = (part.resolution.width, part.resolution.height)
        if width != whole.width && height != whole.height { return "smaller than it could be" }
        let smallest = policy == .crop ? 1 : 2
        func isFitting(_ side: Int, _ exact: Double, in whole: Int) -> Bool {
            abs(Double(side) - min(exact, Double(whole))) <= 1 || (side == smallest && exact < 2)
        }
        guard isFitting(width, Double(whole.height * shape.width) / Double(shape.height), in: whole.width),
            isFitting(height, Double(whole.width * shape.height) / Double(shape.width), in: whole.height)
        else { return "out of shape" }
        if policy == .crop { return nil }
        if width != whole.width && width % 2 != 0 || height != whole.height && height % 2 != 0 { return "odd side" }
        let bars = (abs(whole.width - width - 2 * part.x), abs(whole.height - height - 2 * part.y))
        return bars.0 > 2 || bars.1 > 2 ? "bars differ by \(bars)" : nil
    }
}

@Suite struct PlacementTests {
    /// A picture that is white all over.
    private func white(_ resolution: Resolution, _ colorSpace: ColorSpace) throws -> VideoFrame {
        var frame = try existing(FramePool(resolution: resolution, capacity: 1).makeFrame())
        var planes = frame.planes
        planes.y.fill(235)
        planes.u.fill(90)
        planes.v.fill(200)
        return frame.finish(captureTime: .zero + .milliseconds(5), colorSpace: colorSpace)
    }

    /// What each sample of a plane belongs to: `p` the picture, `b` the bars. libyuv's box filter makes a picture up to
    /// two values darker where it shrinks by no whole number.
    private func map(_ frame: borrowing VideoFrame, plane: Int, picture: UInt8, black: UInt8) -> [String] {
        let view = frame[plane: plane]
        return (0..<view.height).map { y in
            String(
                (0..<view.width).map { x in
                    let value = view[x, y]
                    return value == black ? "b" : (picture - 2...picture).contains(value) ? "p" : "?"
                })
        }
    }

    @Test(arguments: [ColorSpace.bt601, ColorSpace(matrix: .bt709, range: .full)])
    func `The picture fills its part and the rest is black`(colorSpace: ColorSpace) throws {
        let source = try white(Resolution(width: 32, height: 16), colorSpace)
        let pool = try FramePool(resolution: Resolution(width: 9, height: 11), capacity: 1)
        do {
            // Whatever was in the buffer before must not be seen.
            var frame = try existing(pool.makeFrame())
            var planes = frame.planes
            planes.y.fill(77)
            planes.u.fill(77)
            planes.v.fill(77)
        }
        let fit = PictureFit(source.resolution, into: pool.layout.resolution, .letterbox)
        #expect(fit.placement.description == "9x4 at 0,4")
        let placed = try #require(source.scaled(fit, into: pool))
        let black: UInt8 = colorSpace.range == .limited ? 16 : 0
        let (bar, row) = (String(repeating: "b", count: 9), String(repeating: "p", count: 9))
        #expect(
            map(placed, plane: 0, picture: 235, black: black)
                == [bar, bar, bar, bar, row, row, row, row, bar, bar, bar])
        for (plane, value) in [(1, 90), (2, 200)] as [(Int, UInt8)] {
            #expect(
                map(placed, plane: plane, picture: value, black: 128)
                    == ["bbbbb", "bbbbb", "ppppp", "ppppp", "bbbbb", "bbbbb"], "plane \(plane)")
        }
        #expect(placed.colorSpace == colorSpace && placed.captureTime == source.captureTime)
    }

    @Test func `Bars can be left and right, too`() throws {
        let source = try white(Resolution(width: 16, height: 32), .bt601)
        let pool = try FramePool(resolution: Resolution(width: 11, height: 8), capacity: 1)
        let placed = try #require(
            source.scaled(PictureFit(source.resolution, into: pool.layout.resolution, .letterbox), into: pool))
        #expect(map(placed, plane: 0, picture: 235, black: 16) == Array(repeating: "bbbbppppbbb", count: 8))
        #expect(map(placed, plane: 1, picture: 90, black: 128) == Array(repeating: "bbppbb", count: 4))
    }

    @Test func `A placed picture is the same as one scaled to its size`() throws {
        let source = try TestPictures(.hd720).picture(6)
        let pool = try FramePool(resolution: .vga, capacity: 1)
        let alone = try FramePool(resolution: Resolution(width: 640, height: 360), capacity: 1)
        let placed = try #require(source.scaled(PictureFit(.hd720, into: .vga, .letterbox), into: pool))
        let scaled = try #require(source.scaled(into: alone))
        var differences = 0
        for plane in 0..<3 {
            let margin = plane == 0 ? 60 : 30
            for y in 0..<scaled[plane: plane].height {
                let (a, b) = (scaled[plane: plane].row(y), placed[plane: plane].row(y + margin))
                for x in a.indices where a[x] != b[x] { differences += 1 }
            }
        }
        #expect(differences == 0)
    }

    @Test func `The smallest and the most extreme pictures are placed`() throws {
        let sides = [(1, 1), (1, 2), (2, 1), (3, 3), (16383, 2), (2, 16383), (161, 119)]
        for from in sides {
            let source = try white(Resolution(width: from.0, height: from.1), .bt601)
            for to in sides {
                let pool = try FramePool(resolution: Resolution(width: to.0, height: to.1), capacity: 1)
                for policy in AspectPolicy.allCases {
                    let fit = PictureFit(source.resolution, into: pool.layout.resolution, policy)
                    let placed = try #require(source.scaled(fit, into: pool))
                    let part = fit.placement
                    let label: Comment = "\(from) into \(to), \(policy)"
                    // Of hundreds of samples to one, libyuv's box filter loses up to an eighth.
                    #expect(placed.y[part.x, part.y] > 200, label)
                    if part.y > 0 { #expect(placed.y[part.x, part.y - 1] == 16, label) }
                    if part.x > 0 { #expect(placed.y[part.x - 1, part.y] == 16, label) }
                    let (right, below) = (part.x + part.resolution.width, part.y + part.resolution.height)
                    if right < to.0 { #expect(placed.y[right, part.y] == 16, label) }
                    if below < to.1 { #expect(placed.y[part.x, below] == 16, label) }
                    #expect(placed.y[right - 1, below - 1] > 200, label)
                }
            }
        }
    }
}
