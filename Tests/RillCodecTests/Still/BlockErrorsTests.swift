import RillCore
import RillTestSupport
import Testing

@testable import RillCodec

/// The kernel gives the very numbers of its scalar reference: strides, places, rows and shapes of samples.
struct BlockErrorsTests {
    enum Shape: CaseIterable {
        case noise, near, extremes
    }

    /// Two planes of that shape, whose rows are some bytes apart.
    private func frames(_ shape: Shape, seed: UInt64) throws -> (VideoFrame, VideoFrame) {
        var random = SeededGenerator(seed: seed)
        let layout = FrameLayout(.i420, Resolution(width: 48 + 16 * Int(seed % 3), height: 32))
        let pool = try FramePool(layout: layout, capacity: 2)
        guard var a = pool.makeFrame(), var b = pool.makeFrame() else { throw TestFailure("the pool is dry") }
        var first = a.planes
        var second = b.planes
        for y in 0..<layout[plane: 0].height {
            var rowA = first.y.row(y)
            var rowB = second.y.row(y)
            for x in rowA.indices {
                let value = UInt8.random(in: 3...252, using: &random)
                switch shape {
                case .noise:
                    rowA[x] = value
                    rowB[x] = UInt8.random(in: 0...255, using: &random)
                case .near:
                    rowA[x] = value
                    rowB[x] = value - 3 + UInt8.random(in: 0...6, using: &random)
                case .extremes:
                    rowA[x] = Bool.random(using: &random) ? 0 : 255
                    rowB[x] = 255 - rowA[x]
                }
            }
        }
        first.u.fill(1)
        first.v.fill(2)
        second.u.fill(3)
        second.v.fill(4)
        return (a.finish(captureTime: .zero), b.finish(captureTime: .zero))
    }

    @Test(arguments: Shape.allCases)
    func `The kernel is its reference`(shape: Shape) throws {
        for seed in 0..<12 as Range<UInt64> {
            let (a, b) = try frames(shape, seed: seed)
            let first = PicturePlanes(y: a.y, u: a.u, v: a.v)
            let second = PicturePlanes(y: b.y, u: b.u, v: b.v)
            for row in 0..<2 {
                for parity in 0...1 {
                    let blocks = MacroblockRow(row, first, second, parity: parity)
                    for column in 0..<blocks.count {
                        let columns = 16 * column..<16 * column + 16
                        func reference(_ top: Int) -> BlockErrors {
                            BlockErrors(a.y, b.y, columns: columns, rows: top..<top + 8, parity: parity)
                        }
                        let (upper, lower) = (blocks.upperLuma(column), blocks.lowerLuma(column))
                        #expect(upper == reference(16 * row), "seed \(seed), \(row), \(column)")
                        #expect(lower == reference(16 * row + 8), "seed \(seed), \(row), \(column)")
                        let chroma = blocks.chroma(column)
                        #expect(chroma.sums == SIMD2(-64, -64) && chroma.squares == SIMD2(128, 128))
                    }
                }
            }
        }
    }
}
