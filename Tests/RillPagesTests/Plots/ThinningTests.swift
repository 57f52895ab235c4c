import RillCore
import Testing

@testable import RillPages

@Suite struct ThinningTests {
    private let axis = Axis("x", 0...1)

    @Test func `A short row stays as it is`() {
        let points = (0..<2000).map { Mark.Point(Double($0) / 2000, Double($0)) }
        #expect(Thinning.thinned(points, along: axis) == points)
    }

    @Test func `Of a long one the extremes of each column stay, in order`() throws {
        var generator = SeededGenerator(seed: 3)
        let points = (0..<50_000).map { index in
            Mark.Point(Double(index) / 50_000, Double.random(in: 0...1, using: &generator))
        }
        let thinned = Thinning.thinned(points, along: axis)
        #expect(thinned.count <= 4 * (Thinning.columnCount + 1))
        #expect(zip(thinned, thinned.dropFirst()).allSatisfy { $0.x < $1.x })
        for column in [0, 1, 499, 999] {
            let range = Double(column) / 1000..<Double(column + 1) / 1000
            let (all, kept) = (points.filter { range.contains($0.x) }, thinned.filter { range.contains($0.x) })
            #expect(kept.map(\.y).min() == all.map(\.y).min() && kept.map(\.y).max() == all.map(\.y).max(), "\(column)")
            #expect(kept.first == all.first && kept.last == all.last, "\(column)")
        }
    }

    @Test func `Gaps stay gaps`() {
        let points = (0..<10_000).map { Mark.Point(Double($0) / 10_000, (4000..<6000).contains($0) ? .nan : 1) }
        let thinned = Thinning.thinned(points, along: axis)
        #expect(thinned.contains { $0.y.isNaN })
        #expect(!thinned.contains { $0.y.isFinite && (0.4..<0.6).contains($0.x) })
    }

    @Test func `Bands keep the outermost edges`() {
        let ranges = (0..<50_000).map { Mark.Range(Double($0) / 50_000, Double(-$0 % 50), Double($0 % 49)) }
        let thinned = Thinning.thinned(ranges, along: axis)
        #expect(thinned.count <= Thinning.columnCount + 1)
        #expect(thinned.dropLast().allSatisfy { $0.low <= -48 && $0.high >= 47 })
    }

    @Test func `Dots on one another are one`() {
        let y = Axis("y", 0...1)
        let points = (0..<20_000).map { Mark.Point(Double($0 % 100) / 100, Double($0 % 50) / 50) }
        #expect(Thinning.thinned(points, along: axis, and: y, height: 120).count == 100)
    }
}
