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

    /// Prints the measures of the clips in `RILL_MASK_CLIPS`: `book walk thanks` for tuning. Nothing is asserted.
    @Test(.enabled(if: media != nil && asked != nil, "RILL_MEDIA or RILL_MASK_CLIPS is not set"))
    func `A table of the mask's measures`() throws {
        let names = (Self.asked ?? "").split(separator: " ").map(String.init)
        print("clip    overlap  luma outside  Cr outside  flicker  forehead, cheeks, chin")
        for clip in Self.clips where names.contains(clip.name) {
            let measures = try Self.measures(of: clip.name)
            print(
                String(
                    format: "%@ %8.3f %13.3f %11.4f %8.3f %24.2f",
                    clip.name.padding(toLength: 6, withPad: " ", startingAt: 0), measures.overlap,
                    measures.lumaChange, measures.redChange, measures.flicker, measures.inequality))
        }
    }

    /// Filters a clip three times, and measures the last: a clip has two to four seconds, in which the filter meets the face.
    static func measures(of name: String) throws -> MaskMeasures {
        let polygons = try SkinPolygons(clip: name)
        var options = BeautyOptions.natural
        options.sharpness = 0
        let cascade = hasFaces ? try FaceCascade(openCVFile: FaceCascade.debianFile) : nil
        var filter = BeautyFilter(options, cascade: cascade)
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

    /// `RILL_MASK_FACES=0` measures the filter without a cascade.
    private static let hasFaces = ProcessInfo.processInfo.environment["RILL_MASK_FACES"] != "0"
    private static let asked = ProcessInfo.processInfo.environment["RILL_MASK_CLIPS"]
    private static let media = ProcessInfo.processInfo.environment["RILL_MEDIA"]
}
