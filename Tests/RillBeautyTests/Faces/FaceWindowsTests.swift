import Foundation
import RillCore
import RillFiles
import RillTestSupport
import Testing

@testable import RillBeauty

struct FaceWindowsTests {
    /// The same windows as OpenCV, which looks at every second one in both directions here.
    @Test(.enabled(if: hasFaceCascade && mediaFolder != nil, "opencv-data is not installed, or RILL_MEDIA is not set"))
    func `Windows are classified as by OpenCV`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "opencv-windows.txt")
        var expected: [Int: Set<[Int]>] = [:]
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst() {
            let words = line.split(separator: " ")
            let places = words.dropFirst().map { $0.split(separator: ",").compactMap { Int($0) } }
            expected[Int(words[0]) ?? -1] = Set(places)
        }
        let windows = FaceWindows(
            try FaceCascade(openCVFile: FaceCascade.installedFile), greatestWidth: 160, greatestHeight: 120)
        let cells = CellPlane(width: 320, height: 240)
        let blocks = CellPlane(width: 160, height: 120)
        let reader = try Y4MReader(path: "\(mediaFolder ?? "")/webcam_640x480.y4m")
        var (common, either) = (0, 0)
        for index in 0..<450 {
            guard case .frame(let frame) = try reader.next() else { throw TestFailure("the clip is too short") }
            guard let expected = expected[index] else { continue }
            HalvingKernel.run(PictureRows(reading: frame, plane: 0), to: cells)
            HalvingKernel.run(PictureRows(reading: cells), to: blocks)
            windows.begin(size: (160, 120), scale: 65536)
            for y in 0..<120 { windows.takeRow(y, of: blocks, left: 0, top: 0, size: (160, 120), scale: 65536) }
            var found: Set<[Int]> = []
            for y in stride(from: 0, through: 100, by: 2) {
                var x = 0
                while x <= 140 {
                    let result = windows.classify(x, y)
                    if result.isFace { found.insert([x, y]) }
                    x += result.stages == 0 ? 4 : 2
                }
            }
            common += found.intersection(expected).count
            either += found.union(expected).count
        }
        #expect(either > 50 && common == either, "\(common) of \(either) windows")
    }
}

let hasFaceCascade = FileManager.default.fileExists(atPath: FaceCascade.installedFile)
private let mediaFolder = ProcessInfo.processInfo.environment["RILL_MEDIA"]

/// A cascade that takes every window for a face whose lower half is brighter than its upper half.
func smallCascade() throws -> FaceCascade {
    try FaceCascade(
        side: 8,
        features: [
            [
                FaceCascade.Rectangle(x: 0, y: 0, width: 8, height: 8, weight: -1),
                FaceCascade.Rectangle(x: 0, y: 4, width: 8, height: 4, weight: 2),
            ]
        ],
        stages: [
            FaceCascade.Stage(
                trees: [[FaceCascade.Node(feature: 0, threshold: 0, below: .leaf(0), above: .leaf(1))]],
                threshold: 0.5 - 1e-5)
        ])
}
