import RillCore
import Testing

@testable import RillFiles

@Suite struct PieceListTests {
    /// Pieces of random lengths, filled in steps of random lengths, together hold the source.
    @Test(arguments: 0..<50)
    func `Pieces are filled in order`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let lengths = (0..<Int.random(in: 1...3000, using: &generator)).map { _ in
            Int.random(in: 0...5, using: &generator)
        }
        let total = lengths.reduce(0, +)
        let source = (0..<total).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 3) }
        var target = [UInt8](repeating: 0, count: total)
        unsafe target.withUnsafeMutableBytes { target in
            guard total > 0 else { return }
            var list = PieceList()
            var offset = 0
            for length in lengths {
                unsafe list.append(target.baseAddress! + offset, length)
                offset += length
            }
            var done = 0
            while !list.isEmpty {
                #expect(unsafe list.remaining.count <= 1024)
                let step = min(total - done, Int.random(in: 1...1000, using: &generator))
                let filled = unsafe source.withUnsafeBytes { source in
                    unsafe list.fill(from: UnsafeRawBufferPointer(rebasing: source[done..<done + step]))
                }
                #expect(filled == step)
                done += filled
            }
            #expect(done == total)
        }
        #expect(target == source)
    }
}
