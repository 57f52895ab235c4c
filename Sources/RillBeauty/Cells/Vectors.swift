// Sixteen samples at once, in the operations that every x86-64 has (SSE2): each of these functions is one or two
// instructions in a release build, which is why they are written as they are. The library's own choices (`replacing`,
// `pointwiseMin`) come to the same instructions, but by loops that keep whatever uses a few of them from being inlined.

/// Sixteen samples.
typealias Bytes = SIMD16<UInt8>
/// Eight unsigned numbers of 16 bits.
typealias Words = SIMD8<UInt16>

extension SIMD16 where Scalar == UInt8 {
    /// The smaller of each pair (`pminub`).
    @inline(__always)
    func smaller(_ other: Self) -> Self { self &- less(other) }

    /// The greater of each pair (`pmaxub`).
    @inline(__always)
    func greater(_ other: Self) -> Self { other &+ less(other) }

    /// The difference, 0 where it would be negative (`psubusb`).
    @inline(__always)
    func less(_ other: Self) -> Self { isMore(than: other) & (self &- other) }

    /// The sum, 255 where it would be more (`paddusb`).
    @inline(__always)
    func plus(_ other: Self) -> Self {
        let sum = self &+ other
        return sum | isMore(than: sum)
    }

    /// Twice, 255 where that would be more (`paddusb`).
    @inline(__always)
    var twice: Self { plus(self) }

    /// 255 for each that is more than the other, 0 where it is not.
    @inline(__always)
    func isMore(than other: Self) -> Self {
        // A mask is as many bytes of all ones or none.
        unsafe unsafeBitCast(self .> other, to: Self.self)
    }

    /// 255 for each that is 0, 0 for the others.
    @inline(__always)
    var isNothing: Self {
        // As above.
        unsafe unsafeBitCast(self .== .zero, to: Self.self)
    }

    /// How far apart each pair is.
    @inline(__always)
    func distance(to other: Self) -> Self { less(other) | other.less(self) }

    /// The mean of each pair, a half rounded up (`pavgb`).
    @inline(__always)
    func mean(_ other: Self) -> Self { (self | other) &- ((self ^ other) &>> 1) }

    /// The words of two halves, of which each must lie within 0...255.
    @inline(__always)
    init(_ low: Words, _ high: Words) {
        // The lower byte of each word, on a little-endian machine, which all that Rill runs on are.
        self.init(
            lowHalf: unsafe unsafeBitCast(low, to: Bytes.self).evenHalf,
            highHalf: unsafe unsafeBitCast(high, to: Bytes.self).evenHalf)
    }

    /// Every other one, from the first on, as words: no shuffle, so the cheapest way to words and back.
    @inline(__always)
    var evenWords: Words {
        // The lower byte of each word, as above.
        unsafe unsafeBitCast(self, to: Words.self) & 255
    }

    /// Every other one, from the second on, as words.
    @inline(__always)
    var oddWords: Words {
        // The upper byte of each word, as above.
        unsafe unsafeBitCast(self, to: Words.self) &>> 8
    }

    /// Words in turn, of which each must lie within 0...255.
    @inline(__always)
    init(even: Words, odd: Words) {
        // As above.
        self = unsafe unsafeBitCast(even | odd &<< 8, to: Bytes.self)
    }

    /// Whether all sixteen are 0.
    @inline(__always)
    var isZero: Bool {
        // The same sixteen bytes: the comparison of vectors would be a loop.
        let halves = unsafe unsafeBitCast(self, to: SIMD2<UInt64>.self)
        return halves.x | halves.y == 0
    }

    /// These and the others in turn: the first sixteen of the thirty-two, and the last.
    @inline(__always)
    func interleaved(with other: Self) -> (Self, Self) {
        var low = Bytes()
        var high = Bytes()
        low.evenHalf = lowHalf
        low.oddHalf = other.lowHalf
        high.evenHalf = highHalf
        high.oddHalf = other.highHalf
        return (low, high)
    }
}

extension SIMD8 where Scalar == UInt16 {
    /// The difference, 0 where it would be negative (`psubusw`).
    @inline(__always)
    func less(_ other: Self) -> Self {
        // A mask is as many words of all ones or none.
        unsafe unsafeBitCast(self .> other, to: Self.self) & (self &- other)
    }

    /// The upper half of the product (`pmulhuw`).
    ///
    /// Written out lane by lane: the generic conversion stays a call inside a large function.
    @inline(__always)
    func upperProduct(_ other: Self) -> Self {
        Words(
            lowHalf: Words.upperProduct(lowHalf, other.lowHalf),
            highHalf: Words.upperProduct(highHalf, other.highHalf))
    }

    @inline(__always)
    private static func upperProduct(_ a: SIMD4<UInt16>, _ b: SIMD4<UInt16>) -> SIMD4<UInt16> {
        let a = SIMD4(UInt32(a.x), UInt32(a.y), UInt32(a.z), UInt32(a.w))
        let b = SIMD4(UInt32(b.x), UInt32(b.y), UInt32(b.z), UInt32(b.w))
        let product = (a &* b) &>> 16
        return SIMD4(
            UInt16(truncatingIfNeeded: product.x), UInt16(truncatingIfNeeded: product.y),
            UInt16(truncatingIfNeeded: product.z), UInt16(truncatingIfNeeded: product.w))
    }
}

// The same rules for one sample: what the references are written in.

extension UInt8 {
    /// The difference, 0 where it would be negative.
    @inline(__always)
    func less(_ other: UInt8) -> UInt8 { self > other ? self &- other : 0 }

    /// The sum, 255 where it would be more.
    @inline(__always)
    func plus(_ other: UInt8) -> UInt8 { UInt8(Swift.min(255, Int(self) + Int(other))) }

    /// Times 2^count, 255 where that would be more.
    @inline(__always)
    func doubled(_ count: Int) -> UInt8 { UInt8(Swift.min(255, Int(self) << count)) }

    /// The mean, a half rounded up.
    @inline(__always)
    func mean(_ other: UInt8) -> UInt8 { UInt8((Int(self) + Int(other) + 1) >> 1) }
}
