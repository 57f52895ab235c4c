import Foundation
import RillCore
import RillTestSupport
import Testing

@testable import RillBeauty

/// The filter at `strong` on pictures that nobody tuned on: what it leaves alone, and what it finds.
@Suite(.enabled(if: hasFaceCascade, "opencv-data is not installed"))
struct OtherPicturesTests {
    /// What came of a picture that stood still for some seconds.
    struct Outcome {
        let picture: OtherPicture
        /// Pixels that changed by more than three code values where nothing may, as a share of the picture: the most
        /// of several frames.
        var changed = 0.0
        /// The marked faces of 60 pixels and more, and how many of them were known after 3.5 s.
        var (marked, found) = (0, 0)
        /// Intersection over union of the mask and of skin, if a face was found.
        var overlap: Double?

        init(_ picture: OtherPicture) { self.picture = picture }
    }

    /// The frames that are looked at: the first, those of the first seconds, and one when all has faded in.
    private static let looks = [0, 15, 45, 105, 119, 279]
    /// The frame in which faces must be known: 3.5 s.
    private static let deadline = 105

    static func outcome(of picture: OtherPicture, _ cascade: FaceCascade) throws -> Outcome {
        var outcome = Outcome(picture)
        let frame = try picture.frame()
        let pool = try FramePool(resolution: picture.size, capacity: 1)
        let isOutside = picture.isOutside(rim: 8)
        var filter = BeautyFilter(.strong, cascade: cascade)
        let last = picture.isWithoutFace ? looks[4] : looks[5]
        for number in 0...last {
            let result = try existing(try filter.apply(to: frame, into: pool))
            if number == deadline {
                let marked = picture.faces.filter { $0.side >= 60 }
                outcome.marked = marked.count
                outcome.found = marked.count { face in filter.faces.contains { isSame($0, face) } }
            }
            if looks.contains(number) {
                outcome.changed = max(outcome.changed, changed(frame, result, isOutside))
            }
        }
        if !picture.isWithoutFace, !filter.faces.isEmpty { outcome.overlap = overlap(filter.mask ?? [], picture) }
        return outcome
    }

    private static func isSame(_ found: FaceRegion, _ face: (x: Int, y: Int, side: Int)) -> Bool {
        let across = 2 * found.x + found.side - 2 * face.x - face.side
        let down = 2 * found.y + found.side - 2 * face.y - face.side
        return max(abs(across), abs(down)) < face.side && 2 * found.side > face.side && found.side < 2 * face.side
    }

    private static func changed(_ frame: VideoFrame, _ result: VideoFrame, _ isOutside: [Bool]) -> Double {
        let (width, height) = (frame.resolution.width, frame.resolution.height)
        var count = 0
        for y in 0..<height {
            for x in 0..<width where isOutside[y * width + x] {
                let luma = abs(Int(result.y[x, y]) - Int(frame.y[x, y]))
                let red = abs(Int(result.v[x / 2, y / 2]) - Int(frame.v[x / 2, y / 2]))
                if max(luma, red) > 3 { count += 1 }
            }
        }
        return Double(count) / Double(width * height)
    }

    private static func overlap(_ mask: [UInt8], _ picture: OtherPicture) -> Double {
        let (width, height) = (picture.size.width, picture.size.height)
        let isSkin = picture.isSkin()
        var (common, either) = (0, 0)
        for y in 0..<height {
            for x in 0..<width {
                guard let isSkin = isSkin[y * width + x] else { continue }
                let isMasked = mask[y / 2 * ((width + 1) / 2) + x / 2] >= 128
                common += isSkin && isMasked ? 1 : 0
                either += isSkin || isMasked ? 1 : 0
            }
        }
        return Double(common) / Double(max(1, either))
    }

    /// A line of the table.
    private func line(_ outcome: Outcome) -> String {
        let name = outcome.picture.name.padding(toLength: 20, withPad: " ", startingAt: 0)
        let overlap = outcome.overlap.map { String(format: "%.2f", $0) } ?? "-"
        return name + String(format: "%6.2f %%  ", 100 * outcome.changed)
            + "\(outcome.found) of \(outcome.marked)  \(overlap)"
    }

    @Test func `Pictures that nobody tuned on keep what is not skin`() throws {
        let cascade = try FaceCascade(openCVFile: FaceCascade.installedFile)
        // Each takes half a second.
        let pictures = try OtherPicture.all().enumerated().filter { isLongRun || $0.offset % 6 == 3 }.map(\.element)
        let outcomes = try pictures.map { try Self.outcome(of: $0, cascade) }
        let without = outcomes.filter(\.picture.isWithoutFace)
        let with = outcomes.filter { !$0.picture.isWithoutFace }
        let groups = with.filter { $0.picture.faces.count >= 8 }
        let others = with.filter { $0.picture.faces.count < 8 }
        func share(_ outcomes: [Outcome]) -> String {
            "\(outcomes.reduce(0) { $0 + $1.found }) of \(outcomes.reduce(0) { $0 + $1.marked })"
        }
        note(
            (outcomes.map(line) + [
                "without a face, at most 2 %: \(without.count { $0.changed <= 0.02 }) of \(without.count)",
                "beside faces, nothing: \(with.count { $0.changed == 0 }) of \(with.count), at most 1 %: "
                    + "\(with.count { $0.changed <= 0.01 })",
                "faces found: \(share(others)), in groups of eight \(share(groups))",
                "overlap of at least 0.8: \(with.count { $0.overlap ?? 0 >= 0.8 }) of "
                    + "\(with.count { $0.overlap != nil })",
            ]).joined(separator: "\n"))
        #expect(without.allSatisfy { $0.changed <= 0.02 })
    }
}
