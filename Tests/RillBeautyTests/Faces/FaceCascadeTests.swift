import Foundation
import RillCore
import RillFiles
import RillTestSupport
import Testing

@testable import RillBeauty

struct FaceCascadeTests {
    @Test(.enabled(if: hasFaceCascade, "opencv-data is not installed"))
    func `Debian's cascade is read`() throws {
        let cascade = try FaceCascade(openCVFile: FaceCascade.debianFile)
        #expect(cascade.side == 20 && cascade.stages.count == 20 && cascade.features.count == 2094)
        #expect(cascade.stages.map(\.trees.count).reduce(0, +) == 1047)
        #expect(cascade.stages.allSatisfy { $0.trees.allSatisfy { $0.count == 2 } })
    }

    @Test func `A small cascade is read`() throws {
        #expect(try FaceCascade(openCVText: Array(Self.text.utf8)) == smallCascade())
    }

    private static let text = """
        <?xml version="1.0"?>
        <opencv_storage><cascade type_id="opencv-cascade-classifier"><stageType>BOOST</stageType>
        <featureType>HAAR</featureType><height>8</height><width>8</width><stageNum>1</stageNum>
        <stages><_><maxWeakCount>1</maxWeakCount><stageThreshold>0.5</stageThreshold>
        <weakClassifiers><_><internalNodes>0 -1 0 0.0</internalNodes><leafValues>0. 1.</leafValues></_></weakClassifiers></_>
        </stages>
        <features><_><rects><_>0 0 8 8 -1.</_><_>0 4 8 4 2.</_></rects></_></features></cascade></opencv_storage>
        """

    /// Bytes from outside only ever throw.
    @Test func `Mutated cascades are read or refused`() throws {
        var random = SeededGenerator(seed: 5)
        let bytes = Array(Self.text.utf8)
        var refused = 0
        for _ in 0..<2000 {
            var mutated = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<mutated.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: mutated[place] = UInt8.random(in: 0...255, using: &random)
                case 1: mutated.remove(at: place)
                default: mutated.insert(mutated[Int.random(in: 0..<mutated.count, using: &random)], at: place)
                }
            }
            do {
                _ = try FaceCascade(openCVText: mutated)
            } catch let error where error is FileError || error is BeautyError {
                refused += 1
            }
        }
        #expect(refused > 200)
    }

    @Test(arguments: [
        ("<featureType>HAAR", "<featureType>LBP"), ("0 4 8 4 2.", "0 4 8 5 2."), ("0 4 8 4 2.", "0 4 8 4 1.5"),
        ("0 -1 0 0.0", "0 -1 1 0.0"), ("0 -1 0 0.0", "1 -1 0 0.0"), ("0 -1 0 0.0", "0 -2 0 0.0"),
        ("<width>8", "<width>9"), ("0. 1.", "0. nan"),
    ])
    func `What contradicts itself is refused`(change: (String, String)) {
        let text = Self.text.replacingOccurrences(of: change.0, with: change.1)
        #expect(text != Self.text)
        #expect(throws: (any Error).self) { try FaceCascade(openCVText: Array(text.utf8)) }
    }

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
            try FaceCascade(openCVFile: FaceCascade.debianFile), greatestWidth: 160, greatestHeight: 120)
        let cells = CellPlane(width: 320, height: 240)
        let blocks = CellPlane(width: 160, height: 120)
        let reader = try Y4MReader(path: "\(mediaFolder ?? "")/webcam_640x480.y4m")
        var (common, either) = (0, 0)
        for index in 0..<450 {
            guard case .frame(let frame) = try reader.next() else { throw TestFailure("the clip is too short") }
            guard let expected = expected[index] else { continue }
            HalvingKernel.run(PictureRows(reading: frame, plane: 0), to: cells)
            HalvingKernel.run(PictureRows(reading: cells), to: blocks)
            windows.begin(width: 160, height: 120)
            for y in 0..<120 { windows.takeRow(y, of: blocks, left: 0, top: 0, size: (160, 120), scale: 65536) }
            var found: Set<[Int]> = []
            for y in stride(from: 0, through: 100, by: 2) {
                var x = 0
                while x <= 140 {
                    let verdict = windows.classify(x, y)
                    if verdict.isFace { found.insert([x, y]) }
                    x += verdict.stages == 0 ? 4 : 2
                }
            }
            common += found.intersection(expected).count
            either += found.union(expected).count
        }
        #expect(either > 50 && common == either, "\(common) of \(either) windows")
    }
}

let hasFaceCascade = FileManager.default.fileExists(atPath: FaceCascade.debianFile)
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
