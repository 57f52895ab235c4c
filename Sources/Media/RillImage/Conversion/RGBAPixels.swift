public import RillCore

/// The order of a pixel's four bytes in memory.
public enum PixelOrder: String, Codable, Sendable, CaseIterable {
    /// Red, green, blue, alpha: OpenGL and Vulkan (`R8G8B8A8`), `ImageData` on web pages, SDL's `RGBA32`.
    case rgba
    /// Blue, green, red, alpha: Cairo's `ARGB32`, X11 and Wayland on little-endian machines, SDL's `BGRA32`.
    case bgra
}

extension VideoFrame {
    /// Writes the picture as opaque pixels of four bytes, for drawing.
    ///
    /// ```swift
    /// var pixels = [UInt8](repeating: 0, count: 4 * frame.resolution.pixelCount)
    /// var span = pixels.mutableSpan
    /// frame.writeRGBA(to: &span)
    /// ```
    ///
    /// The conversion uses the frame's matrix and range (``/RillCore/ColorSpace``). Each chroma sample applies to two
    /// by two pixels, and each byte is within 0.6 of the exact value. The frame's rotation is not applied. Allocates
    /// nothing. Callable from any thread.
    ///
    /// - Parameters:
    ///   - pixels: receives the rows, top to bottom; it traps if it is too short.
    ///   - rowByteCount: the distance from one row's first byte to the next one's, at least four times the width;
    ///     `nil` for rows without gaps. Bytes between rows are not changed.
    ///   - order: the order of a pixel's bytes.
    public func writeRGBA(
        to pixels: inout MutableSpan<UInt8>, rowByteCount: Int? = nil, order: PixelOrder = .rgba
    ) {
        let width = 4 * resolution.width
        let step = rowByteCount ?? width
        precondition(step >= width, "rows of \(step) bytes for \(resolution)")
        let needed = step * (resolution.height - 1) + width
        precondition(pixels.count >= needed, "\(needed) bytes for \(resolution), room for \(pixels.count)")
        let colors = PixelColors(colorSpace)
        for line in 0..<resolution.height {
            let start = step * line
            let (u, v) = (u.row(line / 2), format == .i420 ? v.row(line / 2) : u.row(line / 2))
            switch (format, order) {
            case (.i420, .rgba): colors.write(y.row(line), u, v, chroma: .planes, first: .red, to: &pixels, at: start)
            case (.i420, .bgra): colors.write(y.row(line), u, v, chroma: .planes, first: .blue, to: &pixels, at: start)
            case (.nv12, .rgba): colors.write(y.row(line), u, v, chroma: .pairs, first: .red, to: &pixels, at: start)
            case (.nv12, .bgra): colors.write(y.row(line), u, v, chroma: .pairs, first: .blue, to: &pixels, at: start)
            }
        }
    }

    /// Returns the picture as pixels of four bytes, row by row without gaps, as ``writeRGBA(to:rowByteCount:order:)``
    /// writes them.
    ///
    /// - Parameter order: the order of a pixel's bytes.
    public func rgba(order: PixelOrder = .rgba) -> [UInt8] {
        var pixels = [UInt8](repeating: 0, count: 4 * resolution.pixelCount)
        var span = pixels.mutableSpan
        writeRGBA(to: &span, order: order)
        return pixels
    }
}

/// Converts samples to colors with ``/RillCore/RGBFactors``, in integers with 13 fractional bits.
///
/// libyuv has this conversion too, but its blue is off by up to 13 for BT.709, whose factor does not fit its seven
/// bits.
private struct PixelColors {
    // Sixteen bits each: a product of two such numbers is one instruction on every processor.
    private let luma: Int16
    private let redOfV: Int16
    private let greenOfU: Int16
    private let greenOfV: Int16
    private let blueOfU: Int16
    private let black: Int16

    enum Chroma { case planes, pairs }
    enum First { case red, blue }

    init(_ space: ColorSpace) {
        let factors = RGBFactors(space)
        func fixed(_ value: Double) -> Int16 { Int16((value * 8192).rounded()) }
        luma = fixed(factors.luma)
        redOfV = fixed(factors.redOfV)
        greenOfU = fixed(factors.greenOfU)
        greenOfV = fixed(factors.greenOfV)
        blueOfU = fixed(factors.blueOfU)
        black = Int16(factors.black)
    }

    /// Writes a row starting at byte `start`. With `pairs`, U and V are interleaved, and `v` is the same row as `u`.
    @_lifetime(pixels: copy pixels)
    @inline(__always)
    func write(
        _ y: Span<UInt8>, _ u: Span<UInt8>, _ v: Span<UInt8>, chroma: Chroma, first: First,
        to pixels: inout MutableSpan<UInt8>, at start: Int
    ) {
        let width = y.count
        let chromaStep = chroma == .planes ? 1 : 2
        let chromaCount = chromaStep * ((width + 1) / 2)
        precondition(u.count >= chromaCount && v.count >= chromaCount, "\(u.count) samples of chroma for \(width)")
        precondition(start >= 0 && start + 4 * width <= pixels.count, "\(pixels.count) bytes for a row at \(start)")
        unsafe y.withUnsafeBufferPointer { y in
            unsafe u.withUnsafeBufferPointer { u in
                unsafe v.withUnsafeBufferPointer { v in
                    unsafe pixels.withUnsafeMutableBytes { pixels in
                        // Within the rows, as checked above. Without a check per sample the loop is vectorized.
                        for pair in 0..<width / 2 {
                            let at = chromaStep &* pair
                            let tint = unsafe tint(u[at], v[chroma == .planes ? at : at &+ 1])
                            let left = unsafe pixel(y[2 &* pair], tint, first)
                            let right = unsafe pixel(y[2 &* pair &+ 1], tint, first)
                            let place = start &+ 8 &* pair
                            unsafe pixels.storeBytes(of: left.littleEndian, toByteOffset: place, as: UInt32.self)
                            unsafe pixels.storeBytes(of: right.littleEndian, toByteOffset: place &+ 4, as: UInt32.self)
                        }
                        guard width & 1 == 1 else { return }
                        let at = chromaStep &* (width / 2)
                        let tint = unsafe tint(u[at], v[chroma == .planes ? at : at &+ 1])
                        let last = unsafe pixel(y[width &- 1], tint, first)
                        let place = start &+ 4 &* (width &- 1)
                        unsafe pixels.storeBytes(of: last.littleEndian, toByteOffset: place, as: UInt32.self)
                    }
                }
            }
        }
    }

    /// Returns what a pair of chroma samples adds to each color, plus a half for rounding.
    @inline(__always)
    private func tint(_ u: UInt8, _ v: UInt8) -> (red: Int32, green: Int32, blue: Int32) {
        let (u, v) = (Int16(u) &- 128, Int16(v) &- 128)
        let half: Int32 = 1 << 12
        return (
            half &+ product(redOfV, v), half &+ product(greenOfU, u) &+ product(greenOfV, v),
            half &+ product(blueOfU, u)
        )
    }

    /// Returns a pixel as a word whose lowest byte comes first.
    @inline(__always)
    private func pixel(_ y: UInt8, _ tint: (red: Int32, green: Int32, blue: Int32), _ first: First) -> UInt32 {
        let light = product(luma, Int16(y) &- black)
        let red = byte(light &+ tint.red)
        let green = byte(light &+ tint.green)
        let blue = byte(light &+ tint.blue)
        let (low, high) = first == .red ? (red, blue) : (blue, red)
        return low | green << 8 | high << 16 | 0xFF00_0000
    }

    @inline(__always)
    private func product(_ a: Int16, _ b: Int16) -> Int32 { Int32(a) &* Int32(b) }

    @inline(__always)
    private func byte(_ sum: Int32) -> UInt32 { UInt32(truncatingIfNeeded: min(max(sum >> 13, 0), 255)) }
}
