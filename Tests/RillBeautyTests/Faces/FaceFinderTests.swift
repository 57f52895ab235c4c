import RillCore
import RillTestSupport
import Testing

@testable import RillBeauty

struct FaceFinderTests {
    private static let (width, height) = (96, 64)

    /// A plane with the "face" of the small cascade: dark above, bright below; slopes the other way everywhere else.
    private func plane(x: Int, y: Int, side: Int) -> CellPlane {
        let plane = CellPlane(width: Self.width, height: Self.height)
        for row in 0..<Self.height {
            for column in 0..<Self.width {
                let isInside = (x..<x + side).contains(column) && (y..<y + side).contains(row)
                plane.row(row)[column] = isInside ? (row < y + side / 2 ? 20 : 230) : UInt8(250 - 3 * row)
            }
        }
        return plane
    }

    private func even(_ value: UInt8) -> CellPlane {
        let plane = CellPlane(width: 30, height: 30)
        for y in 0..<30 { for x in 0..<30 { plane.row(y)[x] = value } }
        return plane
    }

    @Test func `A scan does what its budget allows, and a row more`() throws {
        let scan = FaceScan(try smallCascade(), width: Self.width, height: Self.height)
        scan.begin(plane(x: 40, y: 20, side: 24))
        var steps = 0
        while !scan.isDone {
            var budget = 200
            scan.advance(&budget)
            #expect(budget > -3 * Self.width)
            steps += 1
        }
        #expect(steps > 10)
        var found: [FaceRegion] = []
        scan.takeFaces { found.append($0) }
        let expected = FaceRegion(x: 40, y: 20, side: 24)
        #expect(found.contains { $0.isNear(expected, within: 0.4) }, "\(found)")
    }

    @Test func `How a scan is cut into steps does not matter`() throws {
        let plane = plane(x: 31, y: 17, side: 20)
        let results = try [1, 100, 1 << 30].map { portion in
            let scan = FaceScan(try smallCascade(), width: Self.width, height: Self.height)
            scan.begin(plane)
            var found: [FaceRegion] = []
            while !scan.isDone {
                var budget = portion
                scan.advance(&budget)
            }
            scan.takeFaces { found.append($0) }
            return found
        }
        #expect(results[0] == results[1] && results[0] == results[2])
    }

    @Test func `Planes of all sizes can be searched`() throws {
        for (width, height) in [(1, 1), (7, 8), (8, 8), (8, 40), (41, 9)] {
            let finder = FaceFinder(try smallCascade(), width: width, height: height)
            let plane = CellPlane(width: width, height: height)
            for y in 0..<height { for x in 0..<width { plane.row(y)[x] = UInt8(x * 5 % 256) } }
            for _ in 0..<20 { finder.advance(plane) }
        }
    }

    @Test func `A face comes and goes slowly, and is kept while it is covered`() throws {
        var face = TrackedFace(FaceRegion(x: 0, y: 0, side: 20))
        let u = even(110)
        let v = even(150)
        face.learn(SkinColor(of: face.region, u: u, v: v, luma: v))
        face.advance()
        #expect(face.strength == 0, "a face that was seen once may be a mistake")
        face.isConfirmed = true
        var strengths: [Int] = []
        for _ in 0..<400 {
            face.advance()
            strengths.append(face.strength)
        }
        #expect(zip(strengths, strengths.dropFirst()).allSatisfy { abs($0 - $1) <= 8 })
        #expect(strengths[40] == 256 && strengths[100] == 256 && strengths[399] == 0)
    }

    @Test func `What no skin can look like teaches nothing`() {
        let gray = even(128)
        let high = even(170)
        let face = FaceRegion(x: 5, y: 5, side: 20)
        #expect(SkinColor(of: face, u: gray, v: gray, luma: gray) == nil)
        #expect(SkinColor(of: face, u: high, v: gray, luma: gray) == nil)
        #expect(SkinColor(of: FaceRegion(x: 40, y: 5, side: 20), u: gray, v: high, luma: gray) == nil)
        #expect(SkinColor(of: face, u: gray, v: high, luma: gray) != nil)
    }
}
