import RillCore
import RillTestSupport

@testable import RillBeauty

/// Random samples of the shapes that break kernels: noise, flat areas, the ends of the range, steps.
enum Shape: CaseIterable {
    case noise, ends, flat, steps, faint, small

    func sample(_ x: Int, _ y: Int, _ random: inout SeededGenerator) -> UInt8 {
        let bits = random.next()
        switch self {
        case .noise: return UInt8(truncatingIfNeeded: bits)
        case .ends: return bits & 1 == 0 ? 0 : 255
        case .flat: return 128
        case .steps: return (x / 5 + y / 3) % 2 == 0 ? 20 : 230
        // Around grey, where chroma is decided.
        case .faint: return UInt8(112 + bits % 40)
        // What nine of come to a byte.
        case .small: return UInt8(bits % 29)
        }
    }
}

/// Sizes at which vectors begin, end and overlap.
let awkwardSizes = [(8, 8), (9, 11), (15, 8), (16, 16), (17, 9), (31, 10), (33, 8), (47, 13), (64, 12)]

func cells(_ width: Int, _ height: Int, _ shape: Shape, seed: UInt64) -> CellPlane {
    let plane = CellPlane(width: width, height: height)
    var random = SeededGenerator(seed: seed)
    for y in 0..<height {
        let row = plane.row(y)
        // The padding holds anything: no cell may depend on it.
        for x in row.range { row[x] = UInt8(truncatingIfNeeded: random.next()) }
        for x in 0..<width { row[x] = shape.sample(x, y, &random) }
    }
    return plane
}

/// A mask with whole vectors of nothing in it, and single cells.
func sparseCells(_ width: Int, _ height: Int, seed: UInt64) -> CellPlane {
    let plane = CellPlane(width: width, height: height)
    var random = SeededGenerator(seed: seed)
    for y in 0..<height {
        let row = plane.row(y)
        for x in 0..<width {
            let isSkin = (x / 16 + y / 4) % 3 != 0 && y % 5 != 4 && random.next() % 4 != 0
            row[x] = isSkin ? UInt8(truncatingIfNeeded: random.next()) : 0
        }
    }
    return plane
}

func spans(of mask: borrowing CellPlane) -> MaskSpans {
    let spans = MaskSpans(height: mask.height)
    spans.find(in: mask)
    return spans
}

/// The spans of a mask after those of another one.
func spans(of mask: borrowing CellPlane, after before: borrowing CellPlane) -> MaskSpans {
    let spans = spans(of: before)
    spans.find(in: mask)
    return spans
}

/// A frame whose rows lie `gap` bytes apart from each other, as other people's do.
func frame(
    _ width: Int, _ height: Int, _ shape: Shape = .noise, gap: Int = 0, seed: UInt64
) throws -> VideoFrame {
    let resolution = Resolution(width: width, height: height)
    let chroma = resolution.chroma
    let stride = (width + gap, chroma.width + gap)
    let y = FrameLayout.Plane(offset: 0, stride: stride.0, width: width, height: height)
    let u = FrameLayout.Plane(
        offset: stride.0 * height, stride: stride.1, width: chroma.width, height: chroma.height)
    var v = u
    v.offset += stride.1 * chroma.height
    let pool = try FramePool(
        layout: FrameLayout(format: .i420, resolution: resolution, planes: (y, u, v)), capacity: 1)
    var target = try existing(pool.makeFrame())
    var random = SeededGenerator(seed: seed)
    var planes = target.planes
    for row in 0..<height {
        var luma = planes.y.row(row)
        for x in 0..<width { luma[x] = shape.sample(x, row, &random) }
    }
    for row in 0..<chroma.height {
        // Skin's colours often enough.
        var u = planes.u.row(row)
        for x in 0..<chroma.width { u[x] = UInt8(100 + random.next() % 30) }
        var v = planes.v.row(row)
        for x in 0..<chroma.width { v[x] = UInt8(126 + random.next() % 30) }
    }
    return target.finish(captureTime: .zero)
}

/// Where two planes first differ: all that a failure has to say.
struct Difference: Equatable, CustomStringConvertible {
    var x: Int
    var y: Int
    var found: UInt8
    var expected: UInt8
    var description: String { "(\(x), \(y)): \(found), expected \(expected)" }
}

func firstDifference(
    _ plane: borrowing CellPlane, _ expected: (_ x: Int, _ y: Int) -> UInt8
) -> Difference? {
    for y in 0..<plane.height {
        for x in 0..<plane.width {
            let (found, wanted) = (plane.row(y)[x], expected(x, y))
            if found != wanted { return Difference(x: x, y: y, found: found, expected: wanted) }
        }
    }
    return nil
}

func firstDifference(_ rows: PictureRows, _ expected: (_ x: Int, _ y: Int) -> UInt8) -> Difference? {
    for y in 0..<rows.height {
        for x in 0..<rows.width {
            let (found, wanted) = (rows.row(y)[x], expected(x, y))
            if found != wanted { return Difference(x: x, y: y, found: found, expected: wanted) }
        }
    }
    return nil
}
