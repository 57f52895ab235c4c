// Sixteen samples at once, in the operations that every x86-64 has (SSE2): each of these functions is one or two
// instructions in a release build, which is why they are written as they are.

/// Sixteen samples.
typealias Bytes = SIMD16<UInt8>
/// Eight unsigned numbers of 16 bits.
typealias Words = SIMD8<UInt16>
/// Eight signed numbers of 16 bits.
typealias Shorts = SIMD8<Int16>

extension SIMD16 where Scalar == UInt8 {
    /// The smaller of each pair (`pminub`).
    @inline(__always)
    func smaller(_ other: Self) -> Self { self.replacing(with: other, where: self .> other) }

    /// The greater of each pair (`pmaxub`).
    @inline(__always)
    func greater(_ other: Self) -> Self { other.replacing(with: self, where: self .> other) }

    /// The difference, 0 where it would be negative (`psubusb`).
    @inline(__always)
    func less(_ other: Self) -> Self { greater(other) &- other }

    /// The sum, 255 where it would be more (`paddusb`).
    @inline(__always)
    func plus(_ other: Self) -> Self { smaller(~other) &+ other }

    /// Twice, `count` times over, 255 where that would be more.
    @inline(__always)
    func doubled(_ count: Int) -> Self {
        var result = self
        for _ in 0..<count { result = result.plus(result) }
        return result
    }

    /// How far apart each pair is.
    @inline(__always)
    func distance(to other: Self) -> Self { greater(other) &- smaller(other) }

    /// The mean of each pair, a half rounded up (`pavgb`).
    @inline(__always)
    func mean(_ other: Self) -> Self { (self | other) &- ((self ^ other) &>> 1) }

    /// The first eight, as words.
    @inline(__always)
    var lowWords: Words { Words(truncatingIfNeeded: lowHalf) }

    /// The last eight, as words.
    @inline(__always)
    var highWords: Words { Words(truncatingIfNeeded: highHalf) }

    /// The words of two halves, of which each must lie within 0...255.
    @inline(__always)
    init(_ low: Words, _ high: Words) {
        self.init(lowHalf: SIMD8(truncatingIfNeeded: low), highHalf: SIMD8(truncatingIfNeeded: high))
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
    @inline(__always)
    func upperProduct(_ other: Self) -> Self {
        Words(truncatingIfNeeded: (SIMD8<UInt32>(truncatingIfNeeded: self) &* SIMD8<UInt32>(truncatingIfNeeded: other)) &>> 16)
    }
}

extension SIMD8 where Scalar == Int16 {
    /// The upper half of the product, rounded down (`pmulhw`).
    @inline(__always)
    func upperProduct(_ other: Self) -> Self {
        Shorts(truncatingIfNeeded: (SIMD8<Int32>(truncatingIfNeeded: self) &* SIMD8<Int32>(truncatingIfNeeded: other)) &>> 16)
    }

    /// Each brought within those bounds (`pminsw`, `pmaxsw`).
    @inline(__always)
    func bounded(_ low: Int16, _ high: Int16) -> Self {
        let (low, high) = (Shorts(repeating: low), Shorts(repeating: high))
        let raised = self.replacing(with: low, where: self .< low)
        return raised.replacing(with: high, where: raised .> high)
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
