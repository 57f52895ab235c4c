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

    @Test func `A first piece with something else to carry is shorter by that much`() {
        let split = FrameSplit(byteCount: 100, maximumPieceByteCount: 40, firstPieceReservation: 15)
        #expect(split.map(\.count) == [24, 38, 38])
        // More than its share: one byte is left for it, and the others have to differ.
        #expect(FrameSplit(byteCount: 4, maximumPieceByteCount: 10, firstPieceReservation: 9).map(\.count) == [1, 3])
    }

    @Test func `With any reservation the pieces are without gaps and within the limit`() {
        for byteCount in 1...60 {
            for limit in 2...30 {
                for reservation in 1..<limit {
                    let split = FrameSplit(
                        byteCount: byteCount, maximumPieceByteCount: limit, firstPieceReservation: reservation)
                    let label: Comment = "\(byteCount) by \(limit) less \(reservation)"
                    var end = 0
                    for piece in split {
                        #expect(piece.lowerBound == end && piece.count >= 1, label)
                        end = piece.upperBound
                    }
                    #expect(end == byteCount, label)
                    var loads = split.map(\.count)
                    loads[0] += reservation
                    #expect(loads.max()! <= limit, label)
                    if loads.count > 1, split[0].count > 1 { #expect(loads.max()! - loads.min()! <= 1, label) }
                }
            }
        }
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
