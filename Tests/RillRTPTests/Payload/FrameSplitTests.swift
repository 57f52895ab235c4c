import RillCore
import RillRTP
import Testing

@Suite struct FrameSplitTests {
    @Test func `Ten bytes in pieces of at most four`() {
        #expect(Array(FrameSplit(byteCount: 10, maximumPieceByteCount: 4)) == [0..<4, 4..<7, 7..<10])
        #expect(Array(FrameSplit(byteCount: 8, maximumPieceByteCount: 4)) == [0..<4, 4..<8])
        #expect(Array(FrameSplit(byteCount: 1, maximumPieceByteCount: 1)) == [0..<1])
    }

    @Test func `A frame of no bytes has no pieces`() {
        #expect(FrameSplit(byteCount: 0, maximumPieceByteCount: 1000).isEmpty)
    }

    @Test func `Pieces are few, without gaps, and differ by one byte at most`() {
        func check(_ byteCount: Int, _ limit: Int) {
            let split = FrameSplit(byteCount: byteCount, maximumPieceByteCount: limit)
            var end = 0
            var sizes = (smallest: Int.max, largest: 0)
            for piece in split {
                #expect(piece.lowerBound == end, "\(byteCount) by \(limit)")
                end = piece.upperBound
                sizes = (min(sizes.smallest, piece.count), max(sizes.largest, piece.count))
            }
            #expect(end == byteCount, "\(byteCount) by \(limit)")
            #expect(sizes.smallest >= 1 && sizes.largest <= limit, "\(byteCount) by \(limit)")
            #expect(sizes.largest - sizes.smallest <= 1, "\(byteCount) by \(limit)")
            #expect((split.count - 1) * limit < byteCount, "\(byteCount) by \(limit): a piece too many")
        }
        for byteCount in 1...60 {
            for limit in 1...61 { check(byteCount, limit) }
        }
        var random = SeededGenerator(seed: 4)
        for _ in 0..<300 {
            check(.random(in: 1...300_000, using: &random), .random(in: 40...9000, using: &random))
        }
    }
}
