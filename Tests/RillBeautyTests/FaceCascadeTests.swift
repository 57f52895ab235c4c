import Foundation
import RillCore
import RillFiles
import RillTestSupport
import Testing

@testable import RillBeauty

struct FaceCascadeTests {
    static let hasCascade = FileManager.default.fileExists(atPath: FaceCascade.debianFile)
    static let media = ProcessInfo.processInfo.environment["RILL_MEDIA"]

    @Test(.enabled(if: hasCascade, "opencv-data is not installed"))
    func `Debian's cascade is read`() throws {
        let cascade = try FaceCascade(openCVFile: FaceCascade.debianFile)
        #expect(cascade.side == 20 && cascade.stages.count == 20 && cascade.features.count == 2094)
        #expect(cascade.stages.map(\.trees.count).reduce(0, +) == 1047)
        #expect(cascade.stages.allSatisfy { $0.trees.allSatisfy { $0.count == 2 } })
    }

    @Test(.enabled(if: hasCascade && media != nil, "opencv-data is not installed, or RILL_MEDIA is not set"))
    func `A scan of the clips`() throws {
        let cascade = try FaceCascade(openCVFile: FaceCascade.debianFile)
        let reader = try Y4MReader(path: "\(Self.media ?? "")/webcam_640x480.y4m")
        let scan = FaceScan(cascade, width: 320, height: 240)
        let cells = CellPlane(width: 320, height: 240)
        for index in 0..<249 {
            guard case .frame(let frame) = try reader.next() else { break }
            guard index % 8 == 0 else { continue }
            HalvingKernel.run(PictureRows(reading: frame, plane: 0), to: cells)
            scan.begin(cells)
            var budget = 1 << 40
            scan.advance(&budget)
            var found: [FaceRegion] = []
            scan.takeFaces { found.append($0) }
            print("scan", index, 1 << 40 - budget, found.map { "\($0.x),\($0.y),\($0.side)" })
        }
    }
}
