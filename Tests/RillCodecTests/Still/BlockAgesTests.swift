import Testing

@testable import RillCodec

/// When a block that changed may be left out again, and what of it is new.
struct BlockAgesTests {
    private static let count = 100
    private var ages = BlockAges(count: count)

    /// Adds a picture of which the first blocks change.
    private mutating func add(changed: Int) -> [Bool] {
        ages.beginPicture()
        return (0..<Self.count).map { ages.add($0, isChanged: $0 < changed) }
    }

    @Test mutating func `Blocks that changed with many others are coded for sixteen pictures`() {
        let before = add(changed: 0)
        let change = add(changed: 10)
        #expect(before == Array(repeating: true, count: Self.count))
        #expect(change == Array(repeating: false, count: 10) + Array(repeating: true, count: 90))
        for picture in 1...300 {
            let isOld = add(changed: 0)
            #expect(isOld[..<10].allSatisfy { $0 == (picture >= 16) }, "picture \(picture)")
            #expect(isOld[10...].allSatisfy { $0 }, "picture \(picture)")
        }
    }

    @Test mutating func `A block that changed alone may be skipped at once`() {
        let change = add(changed: 1)
        let next = add(changed: 0)
        #expect(!change[0] && next[0])
    }

    @Test mutating func `A change of more than 3 % of the blocks is news, and continued motion is not`() {
        for changed in [3, 4] {
            ages = BlockAges(count: Self.count)
            var showsNews: [Bool] = []
            for picture in 0..<20 {
                // Blocks that change in three of four pictures move.
                _ = add(changed: picture % 4 == 3 ? 0 : changed)
                showsNews.append(ages.showsNews)
            }
            #expect(showsNews == [changed > 3] + Array(repeating: false, count: 19))
        }
    }

    @Test mutating func `A change after four still pictures is new`() {
        for rest in 1...6 {
            ages = BlockAges(count: Self.count)
            _ = add(changed: 50)
            for _ in 0..<rest { _ = add(changed: 0) }
            _ = add(changed: 50)
            #expect(ages.showsNews == (rest >= 4), "\(rest) pictures")
        }
    }
}
