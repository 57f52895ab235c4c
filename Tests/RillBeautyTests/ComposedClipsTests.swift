import RillCore
import RillTestSupport
import Testing

@testable import RillBeauty

/// The mask of small faces, and of two people.
struct ComposedClipsTests {
    private static let clips = isLongRun ? Clip.all.map(\.name) : ["book"]
    private static let pairs =
        [("book", "thanks")] + (isLongRun ? [("thanks", "walk"), ("eat", "yes"), ("thanks", "eat")] : [])

    private var options: BeautyOptions {
        var options = BeautyOptions.natural
        options.sharpness = 0
        return options
    }

    private func frames(_ clip: String) throws -> [VideoFrame] {
        var frames: [VideoFrame] = []
        try Clip.named(clip).forEachFrame { frames.append($1) }
        return frames
    }

    /// A cascade sees no face of 22 pixels, so it is given: where the cascade sees it in the clip itself.
    @Test(
        .enabled(if: Clip.isThere, "RILL_MEDIA is not set"),
        .enabled(if: hasFaceCascade, "opencv-data is not installed"), arguments: clips)
    func `The mask of a face at a third of the size is as good`(clip: String) throws {
        let size = Resolution(width: 640, height: 480)
        let (pictures, pool) = (
            try FramePool(resolution: size, capacity: 2), try FramePool(resolution: size, capacity: 1)
        )
        let (large, wall) = (try frames(clip), try existing(try frames("book").first))
        let (left, top) = (ComposedClips.smallLeft, ComposedClips.smallTop)
        let polygons = try SkinPolygons(clip: clip).scaled(by: 1.0 / 3, x: Double(left), y: Double(top))
        var finder = BeautyFilter(options, cascade: try FaceCascade(openCVFile: FaceCascade.installedFile))
        for frame in large { _ = try finder.apply(to: frame, into: pool) }
        var filter = BeautyFilter(options)
        var measures = MaskMeasures()
        for isMeasured in [false, true] {
            for (number, frame) in large.enumerated() {
                _ = try finder.apply(to: frame, into: pool)
                let faces = finder.faces.map { FaceRegion(x: left + $0.x / 3, y: top + $0.y / 3, side: $0.side / 3) }
                if number % 10 == 0 { filter.giveFaces(faces) }
                let picture = try ComposedClips.small(frame, wall: wall, from: pictures)
                if isMeasured {
                    try measures.add(picture, number: number, polygons, &filter, pool)
                } else {
                    _ = try filter.apply(to: picture, into: pool)
                }
            }
        }
        note("\(clip), a third: \(measures)")
        #expect(measures.overlap > 0.75 && measures.lumaChange < 0.02, "\(measures)")
        // Its face is five blocks wide, of which the forehead has four by one.
        withKnownIssue {
            #expect(measures.inequality < 2, "\(measures)")
        } when: {
            clip == "book"
        }
        #expect(measures.inequality < 3.2, "\(measures)")
    }

    @Test(
        .enabled(if: Clip.isThere, "RILL_MEDIA is not set"),
        .enabled(if: hasFaceCascade, "opencv-data is not installed"), arguments: pairs)
    func `Each of two people has a mask as good as alone`(left: String, right: String) throws {
        let size = ComposedClips.pairSize
        let (pictures, pool) = (
            try FramePool(resolution: size, capacity: 2), try FramePool(resolution: size, capacity: 1)
        )
        let sides = try [left, right].map { try frames($0) }
        let polygons = [try SkinPolygons(clip: left), try SkinPolygons(clip: right).scaled(by: 1, x: 640)]
        var filter = BeautyFilter(options, cascade: try FaceCascade(openCVFile: FaceCascade.installedFile))
        var measures = [MaskMeasures(), MaskMeasures()]
        for index in 0..<360 {
            let numbers = sides.map { index % $0.count }
            let picture = try ComposedClips.pair(sides[0][numbers[0]], sides[1][numbers[1]], from: pictures)
            let result = try existing(try filter.apply(to: picture, into: pool))
            guard index >= 240 else { continue }
            for side in 0..<2 where polygons[side].frames[numbers[side]] != nil {
                let cells = polygons[side].isSkin(frame: numbers[side], size: size).enumerated().map { cell, isSkin in
                    cell % 640 / 320 == side ? isSkin : nil
                }
                measures[side].addCells(cells, filter.mask ?? [], picture, result)
            }
        }
        note("\(left): \(measures[0]); beside \(right): \(measures[1])")
        // The cascade takes a black chair beside a light monitor, where thanks and eat meet, for a third.
        #expect(filter.faces.count == 2, "\(filter.faces)")
        for (clip, measures) in zip([left, right], measures) {
            #expect(measures.overlap > 0.75 && measures.lumaChange < 0.1, "\(clip): \(measures)")
        }
    }
}
