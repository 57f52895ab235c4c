import RillCore

/// How two blocks of 16x8 samples differ in every second row, in their left and their right half: the kernel of ``StillBlocks``.
struct BlockErrors: Equatable {
    /// The sum of the differences of each half.
    var sums: SIMD2<Int32>
    /// The sum of the squared differences of each half; ``maximum`` if it is larger.
    var squares: SIMD2<Int32>

    /// The sums of pairs of columns, squared and added up over both halves. Noise hardly adds to it, and what an encoder would code does.
    var pairs: Int32

    /// The largest sum of squares. No block with such a sum stands still.
    static let maximum: Int32 = 0xFFFF

    /// Compares four rows of sixteen samples, every second one.
    ///
    /// - Parameters:
    ///   - a: the first sample of one block that is compared.
    ///   - strideA: its bytes from row to row.
    ///   - b: the first sample of the other block.
    ///   - strideB: its bytes from row to row.
    @unsafe
    @inline(__always)
    init(_ a: UnsafePointer<UInt8>, _ strideA: Int, _ b: UnsafePointer<UInt8>, _ strideB: Int) {
        var lanes = Lanes()
        var (a, b) = unsafe (a, b)
        for _ in 0..<4 {
            unsafe lanes.add(Samples(loading: a), Samples(loading: b))
            unsafe (a, b) = (a + 2 &* strideA, b + 2 &* strideB)
        }
        self = lanes.total
    }

    /// Compares two pairs of blocks of 8x8 samples at once: the left half is of the first pair, the right half of the second.
    @unsafe
    @inline(__always)
    init(
        _ a: (UnsafePointer<UInt8>, UnsafePointer<UInt8>), _ strideA: Int,
        _ b: (UnsafePointer<UInt8>, UnsafePointer<UInt8>), _ strideB: Int
    ) {
        var lanes = Lanes()
        var (a, b) = unsafe (a, b)
        for _ in 0..<4 {
            unsafe lanes.add(Samples(loading: a.0, a.1), Samples(loading: b.0, b.1))
            unsafe (a, b) = ((a.0 + 2 &* strideA, a.1 + 2 &* strideA), (b.0 + 2 &* strideB, b.1 + 2 &* strideB))
        }
        self = lanes.total
    }

    /// The scalar reference, for sixteen columns and eight rows, of which the even ones are compared, or with a parity of 1 the odd ones.
    init(_ a: Plane, _ b: Plane, columns: Range<Int>, rows: Range<Int>, parity: Int) {
        var (sums, squares) = (SIMD2<Int32>(), SIMD2<Int32>())
        var pairs: InlineArray<8, Int32> = .init(repeating: 0)
        for y in stride(from: rows.lowerBound + parity, to: rows.upperBound, by: 2) {
            let (rowA, rowB) = (a.row(y), b.row(y))
            for x in columns {
                let difference = Int32(rowA[x]) - Int32(rowB[x])
                let half = (x - columns.lowerBound) / 8
                sums[half] += difference
                pairs[(x - columns.lowerBound) / 2] += difference
                squares[half] += difference * difference
            }
        }
        var total: Int32 = 0
        for pair in pairs.indices { total += pairs[pair] * pairs[pair] }
        self.init(sums: sums, squares: squares, pairs: total)
    }

    @inline(__always)
    fileprivate init(sums: SIMD2<Int32>, squares: SIMD2<Int32>, pairs: Int32) {
        (self.sums, self.pairs) = (sums, pairs)
        self.squares = SIMD2(min(squares.x, Self.maximum), min(squares.y, Self.maximum))
    }
}

/// Sixteen samples.
private typealias Samples = SIMD16<UInt8>
/// Eight unsigned 16-bit numbers.
private typealias Words = SIMD8<UInt16>

/// The sums of a kernel, lane by lane: the lower four are of the left half, the upper four of the right. Each lane adds eight samples.
private struct Lanes {
    /// Modulo 65536, of numbers from -2040 to 2040.
    private var sums = Words()
    /// Saturated: a lane of 65535 may be larger.
    private var squares = Words()

    @inline(__always)
    mutating func add(_ a: Samples, _ b: Samples) {
        let (even, odd) = (a.evenWords &- b.evenWords, a.oddWords &- b.oddWords)
        sums &+= even &+ odd
        // The square of a negative number modulo 65536 is that of its magnitude, which is at most 255².
        squares = squares.saturatingAdd(even &* even).saturatingAdd(odd &* odd)
    }

    @inline(__always)
    var total: BlockErrors {
        let (left, right) = (sums &+ Words(repeating: Self.bias)).sums
        // Two lanes in each 32-bit number.
        let both = unsafe unsafeBitCast(squares, to: SIMD4<UInt32>.self)
        let added = unsafe unsafeBitCast((both & 0xFFFF) &+ (both &>> 16), to: SIMD4<Int32>.self)
        let signed = unsafe unsafeBitCast(self.sums, to: SIMD4<Int32>.self)
        let (even, odd) = ((signed &<< 16) &>> 16, signed &>> 16)
        let pairs = even &* even &+ odd &* odd
        return BlockErrors(
            sums: SIMD2(left, right) &- 4 * Int32(Self.bias),
            squares: SIMD2(added[0] &+ added[1], added[2] &+ added[3]),
            pairs: (pairs[0] &+ pairs[1]) &+ (pairs[2] &+ pairs[3]))
    }

    /// Makes sums positive.
    private static let bias: UInt16 = 8192
}

extension SIMD8 where Scalar == UInt16 {
    /// The sums of the lower and of the upper four lanes. Each must fit 16 bits.
    @inline(__always)
    fileprivate var sums: (Int32, Int32) {
        // Four lanes are a number of 64 bits. Multiplied, its upper lane is the sum of all.
        let halves = unsafe unsafeBitCast(self, to: SIMD2<UInt64>.self)
        let ones: UInt64 = 0x0001_0001_0001_0001
        return (
            Int32(truncatingIfNeeded: (halves.x &* ones) &>> 48), Int32(truncatingIfNeeded: (halves.y &* ones) &>> 48)
        )
    }

    /// Saturating addition: 65535 where the sum would be larger (`paddusw`).
    @inline(__always)
    fileprivate func saturatingAdd(_ other: Self) -> Self {
        let sum = self &+ other
        // A mask has all bits of a word set, or none.
        return unsafe sum | unsafeBitCast(self .> sum, to: Self.self)
    }
}

// Each operation compiles to one or two instructions that every x86-64 has (SSE2).
extension SIMD16 where Scalar == UInt8 {
    /// Loads sixteen samples.
    @unsafe
    @inline(__always)
    fileprivate init(loading samples: UnsafePointer<UInt8>) {
        self = unsafe UnsafeRawPointer(samples).loadUnaligned(as: Self.self)
    }

    /// Loads eight samples from each of two places.
    @unsafe
    @inline(__always)
    fileprivate init(loading left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>) {
        let halves = unsafe SIMD2(
            UnsafeRawPointer(left).loadUnaligned(as: UInt64.self),
            UnsafeRawPointer(right).loadUnaligned(as: UInt64.self))
        // The same sixteen bytes; all supported machines are little-endian.
        self = unsafe unsafeBitCast(halves, to: Self.self)
    }

    /// The lanes 0, 2, 4 … as words.
    @inline(__always)
    fileprivate var evenWords: Words {
        // The lower byte of each word.
        unsafe unsafeBitCast(self, to: Words.self) & 255
    }

    /// The lanes 1, 3, 5 … as words.
    @inline(__always)
    fileprivate var oddWords: Words {
        // The upper byte of each word.
        unsafe unsafeBitCast(self, to: Words.self) &>> 8
    }
}
