import Foundation
import RillTestSupport
import Testing

@testable import RillBeauty

struct FaceCascadeFileTests {
    private let folder = TemporaryFolder()

    @Test(.enabled(if: hasFaceCascade, "opencv-data is not installed"))
    func `The installed cascade is read`() throws {
        let cascade = try FaceCascade(openCVFile: FaceCascade.installedFile)
        #expect(cascade.side == 20 && cascade.stages.count == 20 && cascade.features.count == 2094)
        #expect(cascade.stages.map(\.trees.count).reduce(0, +) == 1047)
        #expect(cascade.stages.allSatisfy { $0.trees.allSatisfy { $0.count == 2 } })
        #expect(try FaceDetection.automatic.cascade == cascade)
    }

    @Test func `A small cascade is read`() throws {
        let path = folder.path("small.xml")
        try Data(smallText.utf8).write(to: URL(filePath: path))
        #expect(try FaceCascade(openCVFile: path) == smallCascade())
        // Spaces, an attribute and an empty element do not count.
        let spaced = smallText.replacingOccurrences(of: "<_>", with: "<_ id='1'>\r\n\t<x/>")
        #expect(try FaceCascade(openCVText: Array(spaced.utf8)) == smallCascade())
    }

    @Test func `Files that cannot be read are named`() throws {
        #expect(throws: FaceCascadeError.notFound(path: "/nowhere/faces.xml")) {
            try FaceCascade(openCVFile: "/nowhere/faces.xml")
        }
        #expect(throws: FaceCascadeError.unreadable(path: "/", code: EISDIR)) { try FaceCascade(openCVFile: "/") }
        #expect(throws: FaceCascadeError.tooLarge(path: "/dev/zero", limit: 1 << 24)) {
            try FaceCascade(openCVFile: "/dev/zero")
        }
        #expect(throws: FaceCascadeError.foreign(path: "memory")) {
            try FaceCascade(openCVText: Array("YUV4MPEG2 W320".utf8))
        }
        #expect(throws: FaceCascadeError.foreign(path: "/dev/null")) { try FaceCascade(openCVFile: "/dev/null") }
        let missing = FaceCascadeError.notFound(path: FaceCascade.installedFile)
        #expect("\(missing)".contains("opencv-data"))
    }

    @Test(arguments: [
        ("<featureType>HAAR", "<featureType>LBP", "featureType"), ("0 4 8 4 2.", "0 4 8 4 1.5", "rects"),
        ("0 4 8 4 2.", "0 4 8 4", "rects"), ("0 4 8 4 2.", "0 4 8 12345678 2.", "rects"),
        ("0 -1 0 0.0", "0 -2 0 0.0", "internalNodes"), ("0 -1 0 0.0", "0 - 0 0.0", "internalNodes"),
        ("<width>8", "<width>9", "height"), ("0. 1.", "0. nan", "leafValues"),
        ("</rects>", "</rects><tilted>1</tilted>", "tilted"),
    ])
    func `Values that no cascade for faces has are refused by name`(change: (String, String, String)) throws {
        let text = smallText.replacingOccurrences(of: change.0, with: change.1)
        #expect(text != smallText)
        do throws(FaceCascadeError) {
            _ = try FaceCascade(openCVText: Array(text.utf8))
            Issue.record("accepted \(change.1)")
        } catch {
            guard case .invalidElement(_, let position, change.2, _) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(position > 0 && position < text.utf8.count)
        }
    }

    @Test(arguments: [
        ("0 4 8 4 2.", "0 4 8 5 2."), ("0 -1 0 0.0", "0 -1 1 0.0"), ("0 -1 0 0.0", "1 -1 0 0.0"),
        ("<stages>", "<other>"), ("0 -1 0 0.0", ""),
    ])
    func `Elements that contradict each other are refused`(change: (String, String)) throws {
        let text = smallText.replacingOccurrences(of: change.0, with: change.1)
        #expect(text != smallText)
        do throws(FaceCascadeError) {
            _ = try FaceCascade(openCVText: Array(text.utf8), path: "small.xml")
            Issue.record("accepted \(change.1)")
        } catch {
            guard case .invalidCascade("small.xml", .invalidCascade) = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    /// Bytes from outside only ever throw.
    @Test func `Mutated cascades are read or refused`() throws {
        var refused = 0
        let inputs = MutatedInputs(of: [Array(smallText.utf8)], count: 4000, using: SeededGenerator(seed: 5))
        for bytes in inputs {
            do throws(FaceCascadeError) { _ = try FaceCascade(openCVText: bytes) } catch { refused += 1 }
        }
        #expect(refused > 400 && refused < 4000, "\(refused)")
    }

    @Test func `Elements nested too deeply are refused`() {
        let text = "<?xml?>" + String(repeating: "<a>", count: 1 << 20)
        // At the sixteenth, after the declaration's seven bytes.
        let error = FaceCascadeError.invalidElement(
            path: "memory", position: 7 + 16 * 3, name: "the depth of elements", value: "a")
        #expect(throws: error) { try FaceCascade(openCVText: Array(text.utf8)) }
    }

    @Test func `A checksum tells cascades apart`() throws {
        let cascade = try smallCascade()
        #expect(cascade.checksum == (try smallCascade()).checksum)
        var stages = cascade.stages
        stages[0].trees[0][0].threshold += 0.001
        let other = try FaceCascade(side: 8, features: cascade.features, stages: stages)
        #expect(other.checksum != cascade.checksum)
    }

    @Test func `Faces are off when they are to be`() throws {
        #expect(try FaceDetection.off.cascade == nil)
        #expect(try FaceDetection.cascade(smallCascade()).cascade == smallCascade())
    }
}

/// `smallCascade()` in OpenCV's XML.
let smallText = """
    <?xml version="1.0"?>
    <!-- <a> <cascade><width>9</width></cascade> in a comment -- > is nothing. -->
    <opencv_storage><cascade type_id="opencv-cascade-classifier"><stageType>BOOST</stageType>
    <featureType>HAAR</featureType><height>8</height><width>8</width><stageNum>1</stageNum><empty/>
    <stages><_><maxWeakCount>1</maxWeakCount><stageThreshold>0.5</stageThreshold>
    <weakClassifiers><_><internalNodes>0 -1 0 0.0</internalNodes><leafValues>0. 1.</leafValues></_></weakClassifiers></_>
    </stages>
    <features><_><rects><_>0 0 8 8 -1.</_><_>0 4 8 4 2.</_></rects></_></features></cascade></opencv_storage>
    """
