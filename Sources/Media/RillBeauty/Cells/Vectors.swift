// Operations on sixteen samples that every x86-64 has (SSE2). Each function compiles to one or two instructions in a
// release build; their form serves that purpose. The standard library's operations (`replacing`, `pointwiseMin`)
// compile to the same instructions, but through loops that prevent inlining of functions with several of them.

/// Sixteen samples.
typealias Bytes = SIMD16<UInt8>
/// Eight unsigned 16-bit numbers.
typealias Words = SIMD8<UInt16>
/// Eight signed numbers.
typealias Numbers = SIMD8<Int16>

extension SIMD16 where Scalar == UInt8 {
    /// Lane-wise minimum (`pminub`).
    @inline(__always)
    func smaller(_ other: Self) -> Self { self &- less(other) }

    /// Lane-wise maximum (`pmaxub`).
    @inline(__always)
    func greater(_ other: Self) -> Self { other &+ less(other) }

    /// Saturating subtraction: 0 where the difference would be negative (`psubusb`).
    @inline(__always)
    func less(_ other: Self) -> Self { isMore(than: other) & (self &- other) }

    /// Saturating addition: 255 where the sum would be larger (`paddusb`).
    @inline(__always)
    func plus(_ other: Self) -> Self {
        let sum = self &+ other
        return sum | isMore(than: sum)
    }

    /// Saturating doubling: 255 where the result would be larger (`paddusb`).
    @inline(__always)
    var twice: Self { plus(self) }

    /// The comparison mask of `self > other`: 255 in lanes where it holds, otherwise 0.
    @inline(__always)
    func isMore(than other: Self) -> Self {
        // A mask has all bits of a byte set, or none.
        unsafe unsafeBitCast(self .> other, to: Self.self)
    }

    /// The comparison mask of `self == 0`: 255 in lanes where it holds, otherwise 0.
    @inline(__always)
    var isZeroMask: Self {
        // As above.
        unsafe unsafeBitCast(self .== .zero, to: Self.self)
    }

    /// Lane-wise absolute difference.
    @inline(__always)
    func distance(to other: Self) -> Self { less(other) | other.less(self) }

    /// Lane-wise mean, rounded up (`pavgb`).
    @inline(__always)
    func mean(_ other: Self) -> Self { (self | other) &- ((self ^ other) &>> 1) }

    /// Narrows two vectors of words to bytes. Each word must be within 0...255.
    @inline(__always)
    init(_ low: Words, _ high: Words) {
        // The lower byte of each word. All supported machines are little-endian.
        self.init(
            lowHalf: unsafe unsafeBitCast(low, to: Bytes.self).evenHalf,
            highHalf: unsafe unsafeBitCast(high, to: Bytes.self).evenHalf)
    }

    /// The lanes 0, 2, 4 … as words. Without a shuffle, this is the cheapest way to widen and narrow.
    @inline(__always)
    var evenWords: Words {
        // The lower byte of each word, as above.
        unsafe unsafeBitCast(self, to: Words.self) & 255
    }

    /// The lanes 1, 3, 5 … as words.
    @inline(__always)
    var oddWords: Words {
        // The upper byte of each word, as above.
        unsafe unsafeBitCast(self, to: Words.self) &>> 8
    }

    /// Interleaves two vectors of words as bytes. Each word must be within 0...255.
    @inline(__always)
    init(even: Words, odd: Words) {
        // As above.
        self = unsafe unsafeBitCast(even | odd &<< 8, to: Bytes.self)
    }

    /// Whether all lanes are 0.
    @inline(__always)
    var isZero: Bool {
        // The same sixteen bytes as two numbers. Comparing the vectors would compile to a loop.
        let halves = unsafe unsafeBitCast(self, to: SIMD2<UInt64>.self)
        return halves.x | halves.y == 0
    }

    /// Interleaves the lanes with those of `other`: the first sixteen of the thirty-two lanes, and the last sixteen.
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
    /// Saturating subtraction: 0 where the difference would be negative (`psubusw`).
    @inline(__always)
    func less(_ other: Self) -> Self {
        // A mask has all bits of a word set, or none.
        unsafe unsafeBitCast(self .> other, to: Self.self) & (self &- other)
    }

    /// Lane-wise minimum.
    @inline(__always)
    func smaller(_ other: Self) -> Self { self &- less(other) }

    /// The upper half of the lane-wise product (`pmulhuw`).
    ///
    /// Written out lane by lane: the generic conversion is not inlined in a large function.
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

// The same operations for one sample. The scalar references use them.

extension UInt8 {
    /// Saturating subtraction: 0 where the difference would be negative.
    @inline(__always)
    func less(_ other: UInt8) -> UInt8 { self > other ? self &- other : 0 }

    /// Saturating addition: 255 where the sum would be larger.
    @inline(__always)
    func plus(_ other: UInt8) -> UInt8 { UInt8(Swift.min(255, Int(self) + Int(other))) }

    /// Saturating multiplication by 2^count: 255 where the product would be larger.
    @inline(__always)
    func doubled(_ count: Int) -> UInt8 { UInt8(Swift.min(255, Int(self) << count)) }

    /// The mean, rounded up.
    @inline(__always)
    func mean(_ other: UInt8) -> UInt8 { UInt8((Int(self) + Int(other) + 1) >> 1) }
}
