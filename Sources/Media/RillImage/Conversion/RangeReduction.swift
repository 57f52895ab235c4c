package import RillCore

/// Converts samples from full range (JPEG) to limited range (video).
///
/// ```text
/// luma:    Y' = 16 + 219/255 Y        chroma:  C' = 128 + 224/255 (C - 128)
/// ```
///
/// Rounded to nearest, in integers with 15 fractional bits, which yields the exact result for all 256 values.
package enum RangeReduction {
    /// Converts luma samples in place.
    @_lifetime(samples: copy samples)
    package static func reduceLuma(_ samples: inout MutableSpan<UInt8>) {
        reduce(&samples, lumaFactor, lumaOffset)
    }

    /// Converts chroma samples in place.
    @_lifetime(samples: copy samples)
    package static func reduceChroma(_ samples: inout MutableSpan<UInt8>) {
        reduce(&samples, chromaFactor, chromaOffset)
    }

    /// Converts luma samples. There must be at least as many as in `target`.
    @_lifetime(target: copy target)
    static func reduceLuma(_ samples: Span<UInt8>, to target: inout MutableSpan<UInt8>) {
        reduce(samples, to: &target, lumaFactor, lumaOffset)
    }

    /// Converts chroma samples. There must be at least as many as in `target`.
    @_lifetime(target: copy target)
    static func reduceChroma(_ samples: Span<UInt8>, to target: inout MutableSpan<UInt8>) {
        reduce(samples, to: &target, chromaFactor, chromaOffset)
    }

    /// Converts the averages of two rows of chroma, each with at least as many samples as `target`.
    @_lifetime(target: copy target)
    package static func reduceChroma(_ a: Span<UInt8>, _ b: Span<UInt8>, to target: inout MutableSpan<UInt8>) {
        precondition(a.count >= target.count && b.count >= target.count, "rows of \(a.count) for \(target.count)")
        unsafe a.withUnsafeBufferPointer { a in
            unsafe b.withUnsafeBufferPointer { b in
                unsafe target.withUnsafeMutableBufferPointer { target in
                    // Within the rows, as checked above.
                    for index in target.indices {
                        let sum = unsafe UInt32(a[index]) &+ UInt32(b[index]) &+ 1
                        unsafe target[index] = reduced(sum &>> 1, chromaFactor, chromaOffset)
                    }
                }
            }
        }
    }

    /// Converts the averages of two by two samples of two rows of chroma, each with at least twice as many samples as
    /// `target`. Both may be the same row.
    @_lifetime(target: copy target)
    package static func reduceWideChroma(_ a: Span<UInt8>, _ b: Span<UInt8>, to target: inout MutableSpan<UInt8>) {
        precondition(
            a.count >= 2 * target.count && b.count >= 2 * target.count, "rows of \(a.count) for \(target.count)")
        unsafe a.withUnsafeBufferPointer { a in
            unsafe b.withUnsafeBufferPointer { b in
                unsafe target.withUnsafeMutableBufferPointer { target in
                    // Within the rows, as checked above.
                    for index in target.indices {
                        let first = unsafe UInt32(a[2 &* index]) &+ UInt32(a[2 &* index &+ 1])
                        let second = unsafe UInt32(b[2 &* index]) &+ UInt32(b[2 &* index &+ 1])
                        unsafe target[index] = reduced((first &+ second &+ 2) &>> 2, chromaFactor, chromaOffset)
                    }
                }
            }
        }
    }

    // 219/255 of 2^15 is 28141.9, 224/255 is 28784.3. Chroma's 128 stays unchanged.
    private static let lumaFactor: UInt32 = 28_142
    private static let lumaOffset: UInt32 = 16 << 15 + 1 << 14
    private static let chromaFactor: UInt32 = 28_784
    private static let chromaOffset: UInt32 = 128 << 15 - 128 * 28_784 + 1 << 14

    @inline(__always)
    private static func reduced(_ sample: UInt32, _ factor: UInt32, _ offset: UInt32) -> UInt8 {
        UInt8(truncatingIfNeeded: (sample &* factor &+ offset) &>> 15)
    }

    @_lifetime(target: copy target)
    @inline(__always)
    private static func reduce(
        _ samples: Span<UInt8>, to target: inout MutableSpan<UInt8>, _ factor: UInt32, _ offset: UInt32
    ) {
        precondition(samples.count >= target.count, "a row of \(samples.count) for \(target.count)")
        unsafe samples.withUnsafeBufferPointer { samples in
            unsafe target.withUnsafeMutableBufferPointer { target in
                // Within the rows, as checked above.
                for index in target.indices {
                    unsafe target[index] = reduced(UInt32(samples[index]), factor, offset)
                }
            }
        }
    }

    @_lifetime(samples: copy samples)
    @inline(__always)
    private static func reduce(_ samples: inout MutableSpan<UInt8>, _ factor: UInt32, _ offset: UInt32) {
        unsafe samples.withUnsafeMutableBufferPointer { samples in
            // Within the span. Without a check per sample the loop is vectorized.
            for index in samples.indices {
                unsafe samples[index] = reduced(UInt32(samples[index]), factor, offset)
            }
        }
    }
}

extension MutableFrame {
    /// Converts an I420 frame from full to limited range in place.
    package mutating func reduceToLimitedRange() {
        var planes = planes
        for row in 0..<planes.y.height {
            var samples = planes.y.row(row)
            RangeReduction.reduceLuma(&samples)
        }
        for row in 0..<planes.u.height {
            var samples = planes.u.row(row)
            RangeReduction.reduceChroma(&samples)
        }
        for row in 0..<planes.v.height {
            var samples = planes.v.row(row)
            RangeReduction.reduceChroma(&samples)
        }
    }
}
