import RillCore
import Testing

@testable import RillScenes

/// What is to be seen in a portrait scene, and what happens in it.
@MainActor
struct PortraitContentTests {
    /// One scene without noise for all tests that only look.
    private static let still = Result {
        try PortraitScene(resolution: Resolution(width: 240, height: 180), frameRate: 30, settings: .init(noise: 0))
    }
    private let scene: PortraitScene

    init() throws {
        scene = try PortraitContentTests.still.get()
    }

    @Test(arguments: SkinTone.all)
    func `Lit skin has the color of its swatch`(tone: SkinTone) throws {
        let scene = try PortraitScene(
            resolution: Resolution(width: 112, height: 84), frameRate: 30, settings: .init(skinTone: tone))
        let swatch = yuv(srgb: tone.srgb)
        let frame = try #require(scene.draw(frame: 0))
        for (number, patch) in scene.landmarks(frame: 0).skin.enumerated() {
            #expect(!patch.isEmpty)
            let y = frame.mean(plane: 0, in: patch)
            let u = frame.mean(plane: 1, in: patch)
            let v = frame.mean(plane: 2, in: patch)
            // The forehead is plain; cheeks are flushed, and one of them is away from the window.
            let isForehead = number == 0
            let name = "tone \(tone), patch \(number): \(y) \(u) \(v) for \(swatch)"
            #expect(isForehead ? abs(y - swatch.y) < 20 : y > 0.7 * swatch.y && y < swatch.y + 20, "\(name)")
            #expect(abs(u - swatch.u) < (isForehead ? 5 : 9), "\(name)")
            #expect(v - swatch.v > -4 && v - swatch.v < (isForehead ? 6 : 16), "\(name)")
        }
    }

    /// BT.601, limited range, as the recommendation writes it.
    private func yuv(srgb: UInt32) -> (y: Double, u: Double, v: Double) {
        let r = Double(srgb >> 16 & 255) / 255
        let g = Double(srgb >> 8 & 255) / 255
        let b = Double(srgb & 255) / 255
        let luma = 0.299 * r + 0.587 * g + 0.114 * b
        return (16 + 219 * luma, 128 + 224 * 0.5 * (b - luma) / 0.886, 128 + 224 * 0.5 * (r - luma) / 0.701)
    }

    @Test func `Eyes blink every few seconds`() throws {
        let openings = (0..<600).map { scene.pose(frame: $0).expression.eyeOpening }
        let shut = openings.indices.filter { openings[$0] < 0.1 }
        let blinks = shut.filter { !shut.contains($0 - 1) }
        #expect(blinks.count >= 4 && blinks.count <= 8, "in 20 s: \(blinks)")
        for blink in blinks.dropFirst().dropLast() {
            let length = (blink - 6..<blink + 8).count { openings[$0] < 0.5 }
            #expect(length >= 2 && length <= 6, "the blink at frame \(blink) took \(length) frames")
        }
        #expect(openings.max()! > 0.9)

        // And it is to be seen: much changes at the eyes, little on the forehead.
        let moment = try #require(blinks.first)
        let open = try #require(scene.draw(frame: moment - 4))
        let closed = try #require(scene.draw(frame: moment))
        let (before, during) = (scene.landmarks(frame: moment - 4), scene.landmarks(frame: moment))
        func change(_ area: PixelRect) -> Double {
            open.samples(plane: 0, in: area).meanDifference(from: closed.samples(plane: 0, in: area))
        }
        #expect(abs(before.skin[0].centre.x - during.skin[0].centre.x) <= 1, "the head moves too fast to compare")
        for eye in during.eyes {
            #expect(change(eye) > 12 && change(eye) > 3 * change(during.skin[0]), "\(change(eye))")
        }
    }

    @Test func `The head moves but stays in the picture`() {
        let centres = (0..<600).map { scene.landmarks(frame: $0).head }
        let height = 180.0
        let x = centres.map { $0.centre.x / height }
        let y = centres.map { $0.centre.y / height }
        #expect(x.max()! - x.min()! > 0.02, "\(x.min()!) to \(x.max()!)")
        #expect(y.max()! - y.min()! > 0.008, "\(y.min()!) to \(y.max()!)")
        #expect(centres.allSatisfy { $0.rows.lowerBound > 0 && $0.rows.upperBound < 150 })
    }

    @Test func `Turning moves the mouth farther than the ears`() {
        var pose = scene.pose(frame: 0)
        func place(_ p: Point) -> Float { pose.scene(p).x }
        pose.turn = .zero
        let rest = (mouth: place(Face.mouth), ear: place(Face.ear))
        pose.turn = Point(0.08, 0)
        let (mouth, ear) = (place(Face.mouth) - rest.mouth, place(Face.ear) - rest.ear)
        #expect(mouth > 0.015 && abs(ear) < 0.3 * mouth, "mouth \(mouth), ear \(ear)")
    }

    @Test func `The shoulders sway with the head, less far`() {
        let poses = (0..<600).map { scene.pose(frame: $0) }
        func span(_ values: [Float]) -> Float { values.max()! - values.min()! }
        let (head, shoulders) = (span(poses.map(\.position.x)), span(poses.map(\.shoulders.x)))
        #expect(shoulders > 0.3 * head && shoulders < 0.6 * head, "head \(head), shoulders \(shoulders)")
    }

    @Test func `Frame and head map onto each other`() {
        for index in stride(from: 0, to: 300, by: 37) {
            let placement = scene.pose(frame: index)
            for p in [Point(0, 0), Face.eye, Face.mouth, Point(-0.3, -0.2), Point(0.1, 0.45)] {
                let there = placement.head(placement.scene(p))
                #expect((there - p).length < 0.01, "frame \(index): \(p) comes back as \(there)")
            }
        }
    }

    @Test func `The mouth opens and shuts`() throws {
        let openings = (0..<300).map { scene.pose(frame: $0).expression.mouth }
        #expect(openings.contains(0) && openings.max()! > 0.7)
        let widest = try #require(openings.indices.max { openings[$0] < openings[$1] })
        let shut = try #require(openings.firstIndex(of: 0))
        func darkest(_ index: Int) throws -> Double {
            let frame = try #require(scene.draw(frame: index))
            return try #require(frame.samples(plane: 0, in: scene.landmarks(frame: index).lips).min())
        }
        #expect(try darkest(widest) < darkest(shut) - 10)
    }

    @Test func `Features stand out from the skin`() throws {
        let frame = try #require(scene.draw(frame: 0))
        let marks = scene.landmarks(frame: 0)
        let skin = frame.mean(plane: 0, in: marks.skin[0])
        #expect(frame.mean(plane: 0, in: marks.hair) < skin - 60)
        for feature in marks.eyes + marks.brows + [marks.hairLine] {
            #expect(frame.samples(plane: 0, in: feature).deviation > 12, "\(feature)")
        }
        #expect(frame.mean(plane: 2, in: marks.lips) > frame.mean(plane: 2, in: marks.skin[0]) + 3)
        // Skin has texture of its own, even without noise.
        let texture = frame.samples(plane: 0, in: marks.skin[0]).deviation
        #expect(texture > 0.8 && texture < 12, "\(texture)")
        #expect(frame.samples(plane: 0, in: marks.print).deviation > 10)
    }

    @Test func `The room does not move`() throws {
        let marks = scene.landmarks(frame: 0)
        let first = try #require(scene.draw(frame: 0))
        let later = try #require(scene.draw(frame: 100))
        for patch in [marks.wall, marks.print] {
            #expect(first.samples(plane: 0, in: patch) == later.samples(plane: 0, in: patch))
        }
    }
}
