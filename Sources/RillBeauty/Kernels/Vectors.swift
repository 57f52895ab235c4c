// Sixteen samples at once, in the operations that every x86-64 has (SSE2): each of these functions is one or two
// instructions in a release build, which is why they are written as they are.

/// Sixteen samples.
typealias Bytes = SIMD16<UInt8>
/// Eight unsigned numbers of 16 bits.
typealias Words = SIMD8<UInt16>

extension SIMD16 where Scalar == UInt8 {
    /// The smaller of each pair (`pminub`, or two subtractions: as a choice the compiler would take it apart in halves).
    @inline(__always)
    func smaller(_ other: Self) -> Self { self &- less(other) }

    /// The greater of each pair (`pmaxub`).
    @inline(__always)
    func greater(_ other: Self) -> Self { other.replacing(with: self, where: self .> other) }

    /// The difference, 0 where it would be negative (`psubusb`).
    @inline(__always)
    func less(_ other: Self) -> Self { greater(other) &- other }

    /// The sum, 255 where it would be more (`paddusb`).
    @inline(__always)
    func plus(_ other: Self) -> Self { self.replacing(with: ~other, where: self .> ~other) &+ other }

    /// Twice, `count` times over, 255 where that would be more.
    @inline(__always)
    func doubled(_ count: Int) -> Self {
        let shift = Bytes(repeating: UInt8(truncatingIfNeeded: count))
        let greatest = Bytes(repeating: 255 &>> UInt8(truncatingIfNeeded: count))
        return (self &<< shift).replacing(with: Bytes(repeating: 255), where: self .> greatest)
    }

    /// 1 for each that is more than `limit`, 0 for the others.
    @inline(__always)
    func isMore(than limit: UInt8) -> Self {
        Bytes(repeating: 1).replacing(with: Bytes.zero, where: self .<= Bytes(repeating: limit))
    }

    /// How far apart each pair is.
    @inline(__always)
    func distance(to other: Self) -> Self { less(other) | other.less(self) }

    /// The mean of each pair, a half rounded up (`pavgb`).
    @inline(__always)
    func mean(_ other: Self) -> Self { (self | other) &- ((self ^ other) &>> 1) }

    /// The first eight, as words.
    @inline(__always)
    var lowWords: Words { Bytes.widened(lowHalf) }

    /// The last eight, as words.
    @inline(__always)
    var highWords: Words { Bytes.widened(highHalf) }

    /// A zero above each.
    @inline(__always)
    private static func widened(_ half: SIMD8<UInt8>) -> Words {
        var pairs = Bytes()
        pairs.evenHalf = half
        // On a little-endian machine, which all that Rill runs on are.
        return unsafe unsafeBitCast(pairs, to: Words.self)
    }

    /// The words of two halves, of which each must lie within 0...255.
    @inline(__always)
    init(_ low: Words, _ high: Words) {
        // The lower byte of each word, as above.
        self.init(
            lowHalf: unsafe unsafeBitCast(low, to: Bytes.self).evenHalf,
            highHalf: unsafe unsafeBitCast(high, to: Bytes.self).evenHalf)
    }

    /// Whether all sixteen are 0.
    @inline(__always)
    var isZero: Bool {
        // The same sixteen bytes: the comparison of vectors would be a loop.
        let halves = unsafe unsafeBitCast(self, to: SIMD2<UInt64>.self)
        return halves.x | halves.y == 0
    }

    /// Product of each pair over 256, rounded down.
    @inline(__always)
    func share(_ other: Self) -> Self {
        Bytes((lowWords &* other.lowWords) &>> 8, (highWords &* other.highWords) &>> 8)
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
    /// The smaller of each pair.
    @inline(__always)
    func smaller(_ other: Self) -> Self { self.replacing(with: other, where: self .> other) }

    /// The difference, 0 where it would be negative (`psubusw`).
    @inline(__always)
    func less(_ other: Self) -> Self { other.replacing(with: self, where: self .> other) &- other }

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

    /// The product over 256, rounded down.
    @inline(__always)
    func share(_ other: UInt8) -> UInt8 { UInt8((Int(self) * Int(other)) >> 8) }
}
