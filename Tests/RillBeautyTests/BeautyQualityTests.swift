import Foundation
import RillCore
import RillFiles
import RillScenes
import RillTestSupport
import Testing

@testable import RillBeauty

/// The quality targets, on the drawn portrait and on real clips.
struct BeautyQualityTests {
    /// A picture, and where to find what in it: drawn after looking at it.
    struct Subject: Sendable, CustomTestStringConvertible {
        var name: String
        var skin: [PixelRect]
        /// Eyes, brows, lips, hair line, glasses.
        var features: [PixelRect]
        /// Whether there is a camera's noise in it.
        var hasNoise = true
        var load: @Sendable () throws -> VideoFrame
        var testDescription: String { name }
    }

    static let portraits = [SkinTone.light, .medium, .dark].map { tone in
        @Sendable func scene() throws -> PortraitScene {
            try PortraitScene(
                resolution: Resolution(width: 640, height: 360), frameRate: 30,
                settings: PortraitScene.Settings(skinTone: tone))
        }
        guard let marks = try? scene().landmarks(frame: 0) else { preconditionFailure("no memory for a portrait") }
        // Without the skin into which the lips open, and without that below the hair.
        let (lips, line) = (marks.lips, marks.hairLine)
        let closed = PixelRect(
            lips.columns.lowerBound + 6, lips.rows.lowerBound + 6, lips.columns.upperBound - 6, lips.rows.upperBound - 8
        )
        let edge = PixelRect(
            line.columns.lowerBound, line.rows.lowerBound - 4, line.columns.upperBound, line.rows.upperBound - 9)
        return Subject(
            name: "portrait, \(tone)",
            // Forehead and the cheek in the light; the other lies in the shadow of the nose, and is all slope.
            skin: Array(marks.skin[..<2]), features: marks.eyes + marks.brows + [closed, edge, marks.hair],
            load: { try existing(scene().draw(frame: 0)) })
    }

    static let clips = [
        Subject(
            name: "book",
            // The cheek in the light and the chin. The other cheek and the forehead are ten pixels wide between hair
            // and features: there 0.43 and 0.31 of the texture are left at most.
            skin: [PixelRect(313, 138, 327, 147), PixelRect(298, 160, 317, 166)],
            // Eyes, the brow that is seen, lips, the hair on both sides.
            features: [
                PixelRect(304, 117, 321, 127), PixelRect(279, 118, 290, 127), PixelRect(303, 109, 322, 118),
                PixelRect(287, 143, 311, 154), PixelRect(274, 100, 290, 127), PixelRect(316, 92, 332, 122),
            ],
            hasNoise: false,
            load: { try frame(0, of: "webcam_640x480.y4m") }),
        Subject(
            name: "sister",
            // The forehead and the cheek in the light; of the other one, five rows high, 0.33 are left at most.
            skin: [PixelRect(290, 104, 318, 112), PixelRect(280, 138, 292, 150)],
            features: [
                PixelRect(286, 115, 302, 123), PixelRect(313, 117, 328, 125), PixelRect(283, 123, 300, 132),
                PixelRect(315, 126, 330, 134), PixelRect(292, 152, 320, 170), PixelRect(276, 87, 333, 100),
            ],
            hasNoise: false,
            load: { try frame(401, of: "webcam_640x480.y4m") }),
        Subject(
            name: "two people",
            // His cheek. (Their foreheads, with glints and strands of hair, keep 0.46 and 0.76 of their texture.)
            skin: [PixelRect(71, 42, 80, 46)],
            // His eyes and brows, lips, hair line; her glasses, lips, the hair on her forehead.
            features: [
                PixelRect(48, 25, 80, 38), PixelRect(55, 52, 73, 63), PixelRect(43, 8, 78, 20),
                PixelRect(200, 65, 265, 81), PixelRect(219, 94, 242, 105), PixelRect(236, 46, 258, 66),
            ],
            load: { try twoPeople() }),
    ].filter { subject in
        guard let folder else { return false }
        let file = subject.name == "two people" ? rawClip : "webcam_640x480.y4m"
        return FileManager.default.fileExists(atPath: "\(folder)/\(file)")
    }

    private static let folder = ProcessInfo.processInfo.environment["RILL_MEDIA"]
    private static let rawClip = "two-people_320x192_12fps.yuv"

    private static func frame(_ index: Int, of file: String) throws -> VideoFrame {
        let reader = try Y4MReader(path: "\(folder ?? "")/\(file)")
        for _ in 0..<index { _ = try reader.next() }
        guard case .frame(let frame) = try reader.next() else { throw TestFailure("\(file) is too short") }
        return frame
    }

    private static func twoPeople() throws -> VideoFrame {
        let bytes = try Data(contentsOf: URL(filePath: "\(folder ?? "")/\(rawClip)"))
        let pool = try FramePool(resolution: Resolution(width: 320, height: 192), capacity: 1)
        var frame = try existing(pool.makeFrame())
        var planes = frame.planes
        func fill(_ plane: inout MutablePlane, from offset: Int) {
            for y in 0..<plane.height {
                var row = plane.row(y)
                for x in row.indices { row[x] = bytes[offset + y * row.count + x] }
            }
        }
        fill(&planes.y, from: 0)
        fill(&planes.u, from: 320 * 192)
        fill(&planes.v, from: 320 * 192 * 5 / 4)
        return frame.finish(captureTime: .zero)
    }

    @Test(arguments: portraits)
    func `Skin becomes smooth`(subject: Subject) throws {
        try expectSmoothSkin(of: subject, in: subject.load())
    }

    /// The clips of one person were recorded as H.264: what is left of texture in their skin (0.1 code values squared,
    /// by differences that neither slopes nor curves of light make) is less than what rounding to whole code values
    /// brings. So a camera's noise is added to them first; the one of two people has its own.
    @Test(arguments: clips)
    func `The skin of real people becomes smooth`(subject: Subject) throws {
        let frame = try subject.load()
        try expectSmoothSkin(of: subject, in: subject.hasNoise ? frame : noisy(frame, seed: 7))
    }

    private func expectSmoothSkin(of subject: Subject, in source: VideoFrame) throws {
        for (smoothness, most) in [(0.5, 0.5), (1, 0.25)] {
            let result = try source.beautiful(.only(\.smoothness, smoothness))
            for rect in subject.skin {
                let left = result.texture(in: rect) / source.texture(in: rect)
                #expect(left <= most, "\(subject.name), smoothness \(smoothness), \(rect): \(left) of the texture")
                // Natural, not plastic.
                #expect(left > 0.01, "\(subject.name), smoothness \(smoothness), \(rect): \(left) of the texture")
            }
        }
    }

    @Test(arguments: portraits + clips)
    func `Features stay crisp`(subject: Subject) throws {
        let source = try subject.load()
        for smoothness in [0.5, 1] {
            let result = try source.beautiful(.only(\.smoothness, smoothness))
            for rect in subject.features {
                let kept = result.gradientEnergy(in: rect) / source.gradientEnergy(in: rect)
                #expect(kept >= 0.9, "\(subject.name), smoothness \(smoothness), \(rect): \(kept) of the edges")
            }
        }
    }

    @Test(arguments: portraits + clips)
    func `Smoothing stays inside the mask`(subject: Subject) throws {
        let source = try subject.load()
        var filter = BeautyFilter(.only(\.smoothness, 1))
        let pool = try FramePool(resolution: source.resolution, capacity: 1)
        let result = try existing(try filter.apply(to: source, into: pool))
        let mask = filter.mask ?? []
        var error = 0
        var count = 0
        for y in 0..<source.resolution.height {
            for x in 0..<source.resolution.width where mask[y / 2 * source.u.width + x / 2] < 26 {
                let difference = Int(result.y[x, y]) - Int(source.y[x, y])
                error += difference * difference
                count += 1
            }
        }
        let psnr = 10 * log10(255 * 255 * Double(count) / max(1, Double(error)))
        #expect(count > 1000 && psnr >= 45, "\(subject.name): \(psnr) dB")
    }

    /// More is more: each amount on its own measure.
    @Test(arguments: [SkinTone.light, .dark])
    func `Amounts are monotone`(tone: SkinTone) throws {
        let scene = try PortraitScene(
            resolution: Resolution(width: 320, height: 180), frameRate: 30,
            settings: PortraitScene.Settings(skinTone: tone))
        let source = try existing(scene.draw(frame: 0))
        let (skin, edge) = (PixelRect(149, 56, 167, 63), PixelRect(139, 70, 157, 80))
        func rises(
            _ path: WritableKeyPath<BeautyOptions, Double>, _ name: String, _ measure: (VideoFrame) -> Double
        ) throws {
            let values = try [0, 0.25, 0.5, 0.75, 1].map { measure(try source.beautiful(.only(path, $0))) }
            for index in 1..<5 { #expect(values[index] > values[index - 1], "\(name): \(values)") }
        }
        try rises(\.lightening, "lightening") { $0.meanLuma(in: skin) }
        try rises(\.smoothness, "smoothness") { -$0.texture(in: skin) }
        try rises(\.redness, "redness") { $0.meanRed(in: skin) }
        try rises(\.sharpness, "sharpness") { $0.gradientEnergy(in: edge) }
    }

    @Test func `Sharpening makes no halo`() throws {
        // Steps of every height, crisp and soft, where nothing is skin.
        let resolution = Resolution(width: 128, height: 64)
        var frame = try existing(FramePool(resolution: resolution, capacity: 1).makeFrame())
        var planes = frame.planes
        planes.u.fill(128)
        planes.v.fill(128)
        for y in 0..<64 {
            var row = planes.y.row(y)
            for x in row.indices {
                let (step, place) = (10 + y / 8 * 25, x % 32)
                row[x] = UInt8(20 + (place < 14 ? 0 : place < 14 + y % 8 ? step * (place - 13) / 8 : step))
            }
        }
        let source = frame.finish(captureTime: .zero)
        let result = try source.beautiful(.only(\.sharpness, 1))
        var greatest = 0
        for y in 1..<63 {
            for x in 1..<127 {
                var (low, high) = (255, 0)
                for row in y - 1...y + 1 {
                    for column in x - 1...x + 1 {
                        low = min(low, Int(source.y[column, row]))
                        high = max(high, Int(source.y[column, row]))
                    }
                }
                greatest = max(greatest, Int(result.y[x, y]) - high, low - Int(result.y[x, y]))
            }
        }
        #expect((1...4).contains(greatest), "\(greatest) code values beyond what was there")
    }

    @Test func `A still scene does not flicker more than its noise`() throws {
        let resolution = Resolution(width: 320, height: 180)
        let quiet = try PortraitScene(
            resolution: resolution, frameRate: 30, settings: PortraitScene.Settings(skinTone: .medium, noise: 0))
        let still = try existing(quiet.draw(frame: 0))
        let skin = quiet.landmarks(frame: 0).skin
        let pool = try FramePool(resolution: resolution, capacity: 2)
        var filter = BeautyFilter(.natural)
        var before: (source: VideoFrame, result: VideoFrame)?
        var (changeOfSource, changeOfResult) = (0, 0)
        for index in 0..<6 {
            let source = try noisy(still, seed: UInt64(index))
            let result = try existing(try filter.apply(to: source, into: pool))
            if let before {
                for rect in skin {
                    for y in rect.rows {
                        for x in rect.columns {
                            changeOfSource += abs(Int(source.y[x, y]) - Int(before.source.y[x, y]))
                            changeOfResult += abs(Int(result.y[x, y]) - Int(before.result.y[x, y]))
                        }
                    }
                }
            }
            before = (source, result)
        }
        #expect(changeOfSource > 0 && changeOfResult < changeOfSource, "\(changeOfResult) of \(changeOfSource)")
    }

    /// The frame with luma noise of 3 code values.
    private func noisy(_ frame: VideoFrame, seed: UInt64) throws -> VideoFrame {
        var target = try existing(FramePool(resolution: frame.resolution, capacity: 1).makeFrame())
        var random = SeededGenerator(seed: seed)
        var planes = target.planes
        for y in 0..<frame.y.height {
            var row = planes.y.row(y)
            for x in row.indices {
                let bits = random.next()
                let dice = (bits & 255) + (bits >> 8 & 255) + (bits >> 16 & 255) + (bits >> 24 & 255)
                row[x] = UInt8(clamping: Int(frame.y[x, y]) + (Int(dice) - 510) * 3 / 148)
            }
        }
        for y in 0..<frame.u.height {
            var u = planes.u.row(y)
            u.copy(from: frame.u.row(y))
            var v = planes.v.row(y)
            v.copy(from: frame.v.row(y))
        }
        return target.finish(captureTime: .zero)
    }
}
