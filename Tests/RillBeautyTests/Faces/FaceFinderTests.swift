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

    /// A map of skin in blocks of two by two, which is in those columns.
    private func map(_ columns: Range<Int>) -> CellPlane {
        let plane = CellPlane(width: Self.width / 2, height: Self.height / 2)
        for y in 0..<plane.height { for x in columns { plane.row(y)[x] = 255 } }
        return plane
    }

    @Test func `A scan does what its budget allows, and a row more`() throws {
        let scan = FaceScan(try smallCascade(), width: Self.width, height: Self.height, scale: 2)
        scan.begin(plane(x: 40, y: 20, side: 24), skin: map(0..<0), scale: 2, onlySkin: false)
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

    @Test func `Areas without the color of skin are not searched`() throws {
        let plane = plane(x: 40, y: 20, side: 24)
        let scan = FaceScan(try smallCascade(), width: Self.width, height: Self.height, scale: 2)
        var counts: [Int] = []
        for columns in [0..<0, 20..<32, 0..<Self.width / 2] {
            scan.begin(plane, skin: map(columns), scale: 2, onlySkin: true)
            var budget = 1 << 30
            scan.advance(&budget)
            var count = 0
            scan.takeFaces { _ in count += 1 }
            counts.append(count)
        }
        #expect(counts[0] == 0 && counts[1] > 0 && counts[2] >= counts[1], "\(counts)")
    }

    @Test func `A face that is not seen follows its skin`() {
        func mask(x: Int, y: Int, side: Int) -> CellPlane {
            let plane = CellPlane(width: 60, height: 40)
            for row in y..<y + side { for column in x..<x + side { plane.row(row)[column] = 255 } }
            return plane
        }
        var face = TrackedFace(FaceRegion(x: 20, y: 20, side: 20))
        face.follow(mask(x: 12, y: 11, side: 8), scale: 2)
        for step in 1...2 {
            face.advance()
            face.follow(mask(x: 12 + step, y: 11 + step / 2, side: 8), scale: 2)
        }
        #expect(abs(face.region.x - 24) <= 1 && abs(face.region.y - 22) <= 1, "\(face.region)")
        // An arm would draw it away.
        for step in 3...10 {
            face.advance()
            face.follow(mask(x: 12 + step, y: 11 + step / 2, side: 8), scale: 2)
        }
        #expect(face.region.x == 25 && face.region.y == 25, "\(face.region)")
        // Skin that grows or goes is no motion.
        let place = face.region
        face.advance()
        face.follow(mask(x: 10, y: 2, side: 30), scale: 2)
        face.follow(mask(x: 30, y: 20, side: 2), scale: 2)
        face.follow(mask(x: 0, y: 0, side: 1), scale: 2)
        #expect(face.region == place)
    }

    @Test func `Two that come to the same place are one face`() throws {
        let finder = FaceFinder(try smallCascade(), width: Self.width, height: Self.height, scale: 2)
        finder.give([FaceRegion(x: 10, y: 10, side: 20), FaceRegion(x: 50, y: 10, side: 20)])
        let empty = CellPlane(width: Self.width, height: Self.height)
        finder.advance(empty, skin: map(0..<0))
        #expect(finder.faces.count == 2)
        finder.give([FaceRegion(x: 10, y: 10, side: 20), FaceRegion(x: 13, y: 11, side: 20)])
        finder.advance(empty, skin: map(0..<0))
        #expect(finder.faces.count { $0.isPresent } == 1)
    }

    @Test func `How a scan is cut into steps does not matter`() throws {
        let plane = plane(x: 31, y: 17, side: 20)
        let results = try [1, 100, 1 << 30].map { portion in
            let scan = FaceScan(try smallCascade(), width: Self.width, height: Self.height, scale: 2)
            scan.begin(plane, skin: map(0..<0), scale: 2, onlySkin: false)
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
            let finder = FaceFinder(try smallCascade(), width: width, height: height, scale: 2)
            let skin = CellPlane(width: (width + 1) / 2, height: (height + 1) / 2)
            let plane = CellPlane(width: width, height: height)
            for y in 0..<height { for x in 0..<width { plane.row(y)[x] = UInt8(x * 5 % 256) } }
            for _ in 0..<20 { finder.advance(plane, skin: skin) }
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
        #expect(zip(strengths, strengths.dropFirst()).allSatisfy { abs($0 - $1) <= 4 })
        #expect(strengths[70] == 256 && strengths[100] == 256 && strengths[399] == 0)
    }

    @Test func `Colors that no skin has are not learned`() {
        let gray = even(128)
        let high = even(170)
        let face = FaceRegion(x: 5, y: 5, side: 20)
        #expect(SkinColor(of: face, u: gray, v: gray, luma: gray) == nil)
        #expect(SkinColor(of: face, u: high, v: gray, luma: gray) == nil)
        #expect(SkinColor(of: FaceRegion(x: 40, y: 5, side: 20), u: gray, v: high, luma: gray) == nil)
        #expect(SkinColor(of: face, u: gray, v: high, luma: gray) != nil)
    }

    @Test func `An evenly lit area is not a face, unless the app sets it`() throws {
        let u = even(116)
        let v = even(146)
        let shaded = even(150)
        for y in 0..<30 { for x in 0..<30 { shaded.row(y)[x] = UInt8(60 + 5 * x) } }
        let region = FaceRegion(x: 5, y: 5, side: 20)
        #expect(try existing(SkinColor(of: region, u: u, v: v, luma: even(150))).isFlat)
        #expect(try !existing(SkinColor(of: region, u: u, v: v, luma: shaded)).isFlat)

        var face = TrackedFace(region)
        face.see(region)
        face.see(region)
        face.learn(SkinColor(of: region, u: u, v: v, luma: shaded))
        for _ in 0..<30 { face.advance() }
        #expect(face.isConfirmed && face.strength == 120)
        face.doubt()
        for _ in 0..<80 { face.advance() }
        #expect(!face.isConfirmed && !face.isPresent && face.strength == 0)

        let finder = FaceFinder(try smallCascade(), width: Self.width, height: Self.height, scale: 2)
        finder.give([region.multiplied(by: 2)])
        finder.learn(u: u, v: v, luma: even(150), scale: 2)
        #expect(finder.faces.first?.color != nil)
    }
}
