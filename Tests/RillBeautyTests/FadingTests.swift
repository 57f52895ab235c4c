import Foundation
import RillCore
import RillScenes
import RillTestSupport
import Testing

@testable import RillBeauty

/// A face that is found or lost causes no sudden change.
struct FadingTests {
    /// How much pixels change from one frame to the next while nothing moves.
    private struct Steps {
        /// The greatest change of a pixel's luma and Cr.
        var luma = 0, red = 0
        /// The number of pixels whose luma changes by more than one code value, and of all.
        var large = 0, all = 0
        /// The frames in which anything changes.
        var frames = 0

        /// Adds a frame, in part of its columns.
        mutating func add(_ before: VideoFrame, _ frame: VideoFrame, _ columns: Range<Int>? = nil) {
            let columns = columns ?? 0..<frame.y.width
            var isSame = true
            for y in 0..<frame.y.height {
                let (old, new) = (before.y.row(y), frame.y.row(y))
                for x in columns {
                    let step = abs(Int(old[x]) - Int(new[x]))
                    luma = max(luma, step)
                    if step > 1 { large += 1 }
                    if step > 0 { isSame = false }
                }
            }
            for y in 0..<frame.v.height {
                let (old, new) = (before.v.row(y), frame.v.row(y))
                for x in columns.lowerBound / 2..<columns.upperBound / 2 {
                    red = max(red, abs(Int(old[x]) - Int(new[x])))
                }
            }
            all += frame.y.height * columns.count
            frames += isSame ? 0 : 1
        }
    }

    /// Filters the same picture again and again; a face is known from frame 8 until frame 230.
    private func steps(of picture: VideoFrame, _ face: FaceRegion, _ options: BeautyOptions) throws -> Steps {
        var filter = BeautyFilter(options)
        let pool = try FramePool(resolution: picture.resolution, capacity: 2)
        var steps = Steps()
        var before: VideoFrame?
        for index in 0..<440 {
            if index == 8 { filter.giveFaces([face]) }
            if index == 230 { filter.giveFaces([]) }
            let result = try existing(try filter.apply(to: picture, into: pool))
            if let before { steps.add(before, result) }
            before = result
        }
        return steps
    }

    private func expectNoJump(_ picture: VideoFrame, _ face: FaceRegion, _ name: String) throws {
        for options in [BeautyOptions.natural, .strong] {
            let steps = try steps(of: picture, face, options)
            note(
                "\(name), \(options): luma by at most \(steps.luma), Cr by \(steps.red), \(steps.large) of "
                    + "\(steps.all) pixels by more than 1, in \(steps.frames) frames")
            #expect(steps.frames > 100, "the mask of the face is another one")
            #expect(steps.luma <= 2 && steps.red <= 1, "\(name), \(options): \(steps)")
            // Where smoothing and sharpening are rounded at once, a pixel may change by two: fewer than one pixel a
            // frame.
            #expect(steps.large < steps.frames, "\(name), \(options): \(steps.large) of \(steps.all)")
        }
    }

    @Test(arguments: [1, 6, 10])
    func `A drawn face that is found or lost changes no pixel by more than a code value a frame`(tone: Int) throws {
        let tone = try existing(SkinTone(number: tone))
        let scene = try PortraitScene(
            resolution: Resolution(width: 320, height: 180), frameRate: 30,
            settings: PortraitScene.Settings(skinTone: tone))
        try expectNoJump(existing(scene.draw(frame: 0)), FaceRegion(scene.landmarks(frame: 0)), "tone \(tone.number)")
    }

    @Test(.enabled(if: Clip.isThere, "RILL_MEDIA is not set"))
    func `A real face that is found or lost changes no pixel by more than a code value a frame`() throws {
        var picture: VideoFrame?
        try Clip.named("book").forEachFrame { if $0 == 12 { picture = $1 } }
        try expectNoJump(existing(picture), FaceRegion(x: 264, y: 100, side: 66), "book")
    }

    /// The walls beside a face become warm while nothing else changes: its color counts from another gray, slowly.
    @Test(.enabled(if: Clip.isThere, "RILL_MEDIA is not set"))
    func `Gray that is seen to be another one changes no pixel by more than a code value a frame`() throws {
        var source: VideoFrame?
        try Clip.named("book").forEachFrame { if $0 == 12 { source = $1 } }
        let (cold, face) = (try existing(source), FaceRegion(x: 264, y: 100, side: 66))
        let middle = 200..<420
        let warm = try warmed(cold, besides: middle)
        var filter = BeautyFilter(.strong)
        let pool = try FramePool(resolution: cold.resolution, capacity: 2)
        var steps = Steps()
        var before: VideoFrame?
        for index in 0..<500 {
            if index % 10 == 0 { filter.giveFaces([face]) }
            let result = try existing(try filter.apply(to: index < 150 ? cold : warm, into: pool))
            // Smoothing and sharpening reach some pixels far.
            if index >= 150, let before { steps.add(before, result, middle.lowerBound + 16..<middle.upperBound - 16) }
            before = result
        }
        note(
            "gray moves: luma by at most \(steps.luma), \(steps.large) pixels by more than 1 in \(steps.frames) frames")
        #expect(steps.frames > 40, "nothing changed")
        #expect(steps.luma <= 2 && steps.red <= 1 && steps.large < steps.frames, "\(steps)")
    }

    private func warmed(_ frame: VideoFrame, besides columns: Range<Int>) throws -> VideoFrame {
        var target = try frame.editable()
        var planes = target.planes
        for y in 0..<frame.u.height {
            var u = planes.u.row(y)
            for x in u.indices where !columns.contains(2 * x) { u[x] = UInt8(clamping: Int(frame.u[x, y]) - 8) }
            var v = planes.v.row(y)
            for x in v.indices where !columns.contains(2 * x) { v[x] = UInt8(clamping: Int(frame.v[x, y]) + 5) }
        }
        return target.finish(captureTime: .zero)
    }
}

extension FaceRegion {
    /// The face of a drawn portrait, as cascades find it.
    init(_ landmarks: PortraitLandmarks) {
        let columns = landmarks.eyes.reduce(landmarks.lips.columns) { both, eye in
            min(both.lowerBound, eye.columns.lowerBound)..<max(both.upperBound, eye.columns.upperBound)
        }
        let side = columns.count * 5 / 3
        let middle = (columns.lowerBound + columns.upperBound) / 2
        self.init(x: middle - side / 2, y: landmarks.lips.rows.upperBound - side * 9 / 10, side: side)
    }
}
