import RillCore

/// How two blocks of 16x8 samples differ in every second row, in their left and their right half: the kernel of
/// ``StillBlocks``.
struct BlockErrors: Equatable {
    /// The sum of the differences of each half.
    var sums: SIMD2<Int32>
    /// The sum of the squared differences of each half; differences beyond ``largestDifference`` count as that.
    var squares: SIMD2<Int32>

    /// The sums of pairs of columns, squared and added up over both halves. Noise hardly adds to it, and what an
    /// encoder would code does.
    var pairs: Int32

    /// The largest difference that is distinguished. A block with such a difference is never still.
    static let largestDifference: Int16 = 63
    /// The same for the sum of a pair of columns: its square fits 16 bits.
    static let largestPair: Int16 = 181

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

    /// Compares two pairs of blocks of 8x8 samples at once: the left half is of the first pair, the right half of the
    /// second.
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

    /// The scalar reference, for sixteen columns and eight rows, of which the even ones are compared, or with a parity
    /// of 1 the odd ones.
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
                let limited = min(max(difference, -Int32(Self.largestDifference)), Int32(Self.largestDifference))
                squares[half] += limited * limited
            }
        }
        var total: Int32 = 0
        for pair in pairs.indices {
            let limited = min(max(pairs[pair], -Int32(Self.largestPair)), Int32(Self.largestPair))
            total += limited * limited
        }
        self.init(sums: sums, squares: squares, pairs: total)
    }

    @inline(__always)
    fileprivate init(sums: SIMD2<Int32>, squares: SIMD2<Int32>, pairs: Int32) {
        (self.sums, self.squares, self.pairs) = (sums, squares, pairs)
    }
}

/// Sixteen samples.
private typealias Samples = SIMD16<UInt8>
/// Eight 16-bit numbers.
private typealias Words = SIMD8<Int16>

/// The sums of a kernel, lane by lane: the lower four are of the left half, the upper four of the right. Each lane adds
/// eight samples.
private struct Lanes {
    /// Numbers from -2040 to 2040.
    private var sums = Words()
    /// Numbers up to 8 · 63², which need not fit a signed one.
    private var squares = Words()

    @inline(__always)
    mutating func add(_ a: Samples, _ b: Samples) {
        let (even, odd) = (a.evenWords &- b.evenWords, a.oddWords &- b.oddWords)
        sums &+= even &+ odd
        let (smallEven, smallOdd) = (
            even.limited(to: BlockErrors.largestDifference), odd.limited(to: BlockErrors.largestDifference)
        )
        squares &+= smallEven &* smallEven &+ smallOdd &* smallOdd
    }

    @inline(__always)
    var total: BlockErrors {
        // Two lanes in each 32-bit number.
        let signed = unsafe unsafeBitCast(sums, to: SIMD4<Int32>.self)
        let added = ((signed &<< 16) &>> 16) &+ (signed &>> 16)
        let small = sums.limited(to: BlockErrors.largestPair)
        let (squares, pairs) = (self.squares.unsignedPairs, (small &* small).unsignedPairs)
        return BlockErrors(
            sums: SIMD2(added[0] &+ added[1], added[2] &+ added[3]),
            squares: SIMD2(squares[0] &+ squares[1], squares[2] &+ squares[3]),
            pairs: (pairs[0] &+ pairs[1]) &+ (pairs[2] &+ pairs[3]))
    }
}

extension SIMD8 where Scalar == Int16 {
    /// Limits the magnitude of each lane (`pminsw`, `pmaxsw`).
    @inline(__always)
    fileprivate func limited(to magnitude: Int16) -> Self {
        let (low, high) = (Self(repeating: -magnitude), Self(repeating: magnitude))
        let lower = replacing(with: high, where: self .> high)
        return lower.replacing(with: low, where: lower .< low)
    }

    /// The sums of neighbouring lanes, which are unsigned numbers.
    @inline(__always)
    fileprivate var unsignedPairs: SIMD4<Int32> {
        let both = unsafe unsafeBitCast(self, to: SIMD4<UInt32>.self)
        return unsafe unsafeBitCast((both & 0xFFFF) &+ (both &>> 16), to: SIMD4<Int32>.self)
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
        unsafe unsafeBitCast(unsafeBitCast(self, to: SIMD8<UInt16>.self) &>> 8, to: Words.self)
    }
}
