import RillCore

/// The planes of an I420 picture: of a frame, or of libvpx's reference.
struct PicturePlanes: ~Escapable {
    let y: Plane
    let u: Plane
    let v: Plane

    @_lifetime(copy y, copy u, copy v)
    init(y: Plane, u: Plane, v: Plane) {
        self.y = y
        self.u = u
        self.v = v
    }
}

/// Compares the whole macroblocks of one row with those of another picture of the same size: every second row of their
/// samples.
@safe
struct MacroblockRow: ~Escapable {
    private let a: PicturePlanes
    private let b: PicturePlanes
    private let row: Int
    /// The first samples that are compared: of the upper and of the lower half of luma, of U and of V.
    private let upper: Pair, lower: Pair, u: Pair, v: Pair
    /// The macroblocks that lie within the picture as a whole.
    let count: Int

    /// The places of two planes.
    private typealias Pair = (a: UnsafePointer<UInt8>, b: UnsafePointer<UInt8>)

    /// - Parameters:
    ///   - row: the row of macroblocks, which lies within the picture as a whole.
    ///   - a: the picture.
    ///   - b: the other picture.
    ///   - parity: 0 to compare the even rows of samples, 1 for the odd ones.
    @_lifetime(copy a, copy b)
    init(_ row: Int, _ a: borrowing PicturePlanes, _ b: borrowing PicturePlanes, parity: Int) {
        precondition(16 * row + 16 <= a.y.height && a.y.width == b.y.width && a.y.height == b.y.height)
        (self.a, self.b, self.row) = (copy a, copy b, row)
        count = a.y.width / 16
        unsafe upper = (a.y.pointer(atRow: 16 * row + parity), b.y.pointer(atRow: 16 * row + parity))
        unsafe lower = (a.y.pointer(atRow: 16 * row + 8 + parity), b.y.pointer(atRow: 16 * row + 8 + parity))
        unsafe u = (a.u.pointer(atRow: 8 * row + parity), b.u.pointer(atRow: 8 * row + parity))
        unsafe v = (a.v.pointer(atRow: 8 * row + parity), b.v.pointer(atRow: 8 * row + parity))
    }

    /// The differences in the upper half of a macroblock's luma.
    @inline(__always)
    func upperLuma(_ column: Int) -> BlockErrors { unsafe luma(upper, column) }

    /// The differences in the lower half of a macroblock's luma.
    @inline(__always)
    func lowerLuma(_ column: Int) -> BlockErrors { unsafe luma(lower, column) }

    @inline(__always)
    private func luma(_ place: Pair, _ column: Int) -> BlockErrors {
        assert(column < count)
        // The macroblock lies within both planes.
        return unsafe BlockErrors(place.a + 16 &* column, a.y.stride, place.b + 16 &* column, b.y.stride)
    }

    /// The differences in a macroblock's chroma: the left half is U, the right half V.
    @inline(__always)
    func chroma(_ column: Int) -> BlockErrors {
        assert(column < count)
        let x = 8 &* column
        // The macroblock lies within all planes; both planes of chroma of a picture have one stride.
        return unsafe BlockErrors((u.a + x, v.a + x), a.u.stride, (u.b + x, v.b + x), b.u.stride)
    }

    /// The row of a macroblock's luma that is compared with the picture before.
    static let motionLine = 8

    /// Whether a macroblock has the samples of the picture before, in that row.
    ///
    /// - Parameters:
    ///   - column: the macroblock.
    ///   - previous: the row ``motionLine`` of each row of macroblocks, of the picture before.
    func repeats(_ column: Int, _ previous: Span<UInt8>) -> Bool {
        let now = a.y.row(16 * row + Self.motionLine)
        let before = previous.extracting(row * now.count..<(row + 1) * now.count)
        for x in 16 * column..<16 * column + 16 where now[x] != before[x] { return false }
        return true
    }

    /// Adds a macroblock's evidence of a motion since the picture before. A macroblock at the edge adds none.
    ///
    /// - Parameters:
    ///   - column: the macroblock.
    ///   - previous: the row ``motionLine`` of each row of macroblocks, of the picture before.
    ///   - sums: the sums.
    func addMotion(_ column: Int, since previous: Span<UInt8>, to sums: inout MotionSums) {
        guard column > 0, column + 1 < count else { return }
        let line = 16 * row + Self.motionLine
        let (now, above, below) = (a.y.row(line), a.y.row(line - 1), a.y.row(line + 1))
        let before = previous.extracting(row * now.count..<(row + 1) * now.count)
        for x in 16 * column..<16 * column + 16 {
            sums.add(
                difference: Int(now[x]) - Int(before[x]), across: Int(now[x + 1]) - Int(now[x - 1]),
                down: Int(below[x]) - Int(above[x]))
        }
    }
}

extension Plane {
    /// The address of a row. The caller keeps what the plane is of alive.
    @unsafe
    fileprivate func pointer(atRow row: Int) -> UnsafePointer<UInt8> {
        // A plane has samples.
        unsafe bytes.withUnsafeBufferPointer { $0.baseAddress! } + row * stride
    }
}
