import Foundation
import RillCore
import RillTestSupport
import Testing

@testable import RillBeauty

/// The mask on the real clips, against polygons drawn by hand.
struct MaskQualityTests {
    /// Without faces the overlap is 0.12 to 0.55, luma changes by 0.41 to 1.4 outside of skin, and the flicker is 0.11
    /// to 0.48.
    @Test(
        .enabled(if: Clip.isThere, "RILL_MEDIA is not set"),
        .enabled(if: hasFaceCascade, "opencv-data is not installed"), arguments: Clip.all.map(\.name))
    func `A face that is known leaves little but skin in the mask`(clip: String) throws {
        let measures = try Self.measures(of: .named(clip))
        note("\(clip): \(measures)")
        #expect(
            measures.overlap > 0.75 && measures.lumaChange < 0.1 && measures.redChange < 0.01
                && measures.flicker < 0.1 && measures.inequality < 2)
    }

    /// Filters a clip three times, and measures the last: a clip has two to four seconds, in which the filter meets the
    /// face.
    static func measures(of clip: Clip) throws -> MaskMeasures {
        let polygons = try SkinPolygons(clip: clip.name)
        var options = BeautyOptions.natural
        options.sharpness = 0
        var filter = BeautyFilter(options, cascade: try FaceCascade(openCVFile: FaceCascade.installedFile))
        let pool = try FramePool(resolution: Resolution(width: 640, height: 480), capacity: 1)
        for _ in 0..<2 { try clip.forEachFrame { _ = try filter.apply(to: $1, into: pool) } }
        var measures = MaskMeasures()
        try clip.forEachFrame { try measures.add($1, number: $0, polygons, &filter, pool) }
        return measures
    }
}
