import Foundation
import RillCore
import RillFiles
import RillTestSupport
import Testing

@testable import RillBeauty

/// The mask on the real clips, against polygons drawn by hand.
struct MaskQualityTests {
    /// The clips in the order in which they follow each other in `webcam_640x480.y4m`. The last frame of book and of yes is
    /// there twice.
    static let clips = [
        (name: "book", length: 110), (name: "walk", length: 89), (name: "thanks", length: 51),
        (name: "yes", length: 66),
        (name: "eat", length: 47), (name: "sister", length: 87),
    ]

    /// Without faces the overlap is 0.12 to 0.55, and luma changes by 0.41 to 1.4 outside of skin.
    @Test(
        .enabled(if: media != nil, "RILL_MEDIA is not set"),
        .enabled(if: FileManager.default.fileExists(atPath: FaceCascade.debianFile), "opencv-data is not installed"),
        arguments: clips.map(\.name))
    func `A face that is known leaves little but skin in the mask`(clip: String) throws {
        let measures = try Self.measures(of: clip)
        note(
            String(
                format: "%@: overlap %.3f, outside of skin luma %.3f and Cr %.4f, flicker %.3f, parts differ by %.2f",
                clip,
                measures.overlap, measures.lumaChange, measures.redChange, measures.flicker, measures.inequality))
        #expect(
            measures.overlap > 0.7 && measures.lumaChange < 0.2 && measures.redChange < 0.02 && measures.flicker < 0.25)
    }

    /// Filters a clip three times, and measures the last: a clip has two to four seconds, in which the filter meets the face.
    static func measures(of name: String) throws -> MaskMeasures {
        let polygons = try SkinPolygons(clip: name)
        var options = BeautyOptions.natural
        options.sharpness = 0
        var filter = BeautyFilter(options, cascade: try FaceCascade(openCVFile: FaceCascade.debianFile))
        let pool = try FramePool(resolution: Resolution(width: 640, height: 480), capacity: 1)
        for _ in 0..<2 { try forEachFrame(of: name) { _ = try filter.apply(to: $1, into: pool) } }
        var measures = MaskMeasures()
        try forEachFrame(of: name) { try measures.add($1, number: $0, polygons, &filter, pool) }
        return measures
    }

    private static func forEachFrame(of name: String, _ body: (Int, VideoFrame) throws -> Void) throws {
        let reader = try Y4MReader(path: "\(media ?? "")/webcam_640x480.y4m")
        for _ in 0..<clips.prefix(while: { $0.name != name }).reduce(0, { $0 + $1.length }) { _ = try reader.next() }
        for number in 0..<(clips.first { $0.name == name }?.length ?? 0) {
            guard case .frame(let frame) = try reader.next() else { throw TestFailure("\(name) is too short") }
            try body(number, frame)
        }
    }

    private static let media = ProcessInfo.processInfo.environment["RILL_MEDIA"]
}
