/// The weights of one kind of feature, per cell, filtered over time: noise moves weights by an eighth of the
/// difference in a frame. A moving face leaves no trail: changes of more than three eighths are followed faster,
/// downwards by up to a half.
final class FeatureMap {
    /// How much each cell is it, from 0 to 255.
    let weights: Weights
    /// The same in the last picture alone, and a row of weights.
    private let seen, row: CellPlane
    /// Where weights may differ from 0: places of the last frames, and of those before.
    private var recent = CellArea.none
    private var earlier = CellArea.none
    private var count = 0

    /// After this many frames nothing is left of a position.
    private static let memory = 48

    /// A plane that several objects read.
    final class Weights {
        let plane: CellPlane
        init(width: Int, height: Int) { plane = CellPlane(width: width, height: height) }
    }

    /// Allocates planes of that size.
    init(width: Int, height: Int) {
        weights = Weights(width: width, height: height)
        seen = CellPlane(width: width, height: height)
        row = CellPlane(width: width, height: 1)
    }

    /// Where weights may differ from 0.
    var area: CellArea { recent.union(earlier) }

    /// Adds what was seen in part of the picture.
    ///
    /// - Parameters:
    ///   - scores: how much each cell looks like it.
    ///   - area: the part.
    ///   - window: how likely it is there at all.
    ///   - strength: how much the face counts, from 0 to 256.
    func add(_ scores: borrowing CellPlane, _ area: CellArea, _ window: FeatureWindow, strength: Int) {
        guard !area.isEmpty else { return }
        let columns = row.row(0)
        for x in area.columns { columns[x] = window.weight(column: x) }
        for y in area.rows {
            let share = Words(repeating: UInt16(Int(window.weight(row: y)) * strength / 256))
            let (scores, output) = (scores.row(y), seen.row(y))
            for vector in area.vectors {
                let x = 16 &* vector
                let (score, column) = (scores[bytes: x], columns[bytes: x])
                let even = ((score.evenWords &* column.evenWords) &>> 8 &* share) &>> 8
                let odd = ((score.oddWords &* column.oddWords) &>> 8 &* share) &>> 8
                // Two 256ths instead of 255ths: 253 is all.
                output[bytes: x] = output[bytes: x].greater(Bytes(even: even, odd: odd))
            }
        }
        recent = recent.union(area)
    }

    /// Moves the weights toward what was added since the last call; with `isFirst`, all the way.
    func converge(isFirst: Bool) {
        let area = area
        for y in area.rows {
            let (weights, seen) = (weights.plane.row(y), seen.row(y))
            for vector in area.vectors {
                let x = 16 &* vector
                let (old, new) = (weights[bytes: x], seen[bytes: x])
                weights[bytes: x] = isFirst ? new : FeatureMap.moved(old, new)
                seen[bytes: x] = .zero
            }
        }
        count += 1
        if count % FeatureMap.memory == 0 { (earlier, recent) = (recent, .none) }
    }

    /// Yields where another kind of feature is likelier, and replaces the other elsewhere: otherwise the same cells
    /// would change twice as fast. Returns whether both may be in the same places.
    func part(from other: FeatureMap) -> Bool {
        let (mine, theirs) = (area, other.area)
        let rows = mine.rows.clamped(to: theirs.rows)
        for y in rows {
            let (own, others) = (weights.plane.row(y), other.weights.plane.row(y))
            for vector in mine.vectors.clamped(to: theirs.vectors) {
                let x = 16 &* vector
                let (a, b) = (own[bytes: x], others[bytes: x])
                let isTheirs = a.less(b).isZeroMask
                (own[bytes: x], others[bytes: x]) = (a & ~isTheirs, b & isTheirs)
            }
        }
        return !rows.isEmpty
    }

    /// Writes the weights at twice the size.
    func enlarge(to target: borrowing CellPlane) {
        let area = area
        guard !area.isEmpty else { return }
        for y in area.rows { weights.plane.extend(y) }
        let large = area.enlarged(height: target.height, vectorCount: target.vectorCount)
        // One more on both sides: the neighbors of what is not 0 are not 0 either.
        let vectors = max(0, area.vectors.lowerBound - 1)..<min(weights.plane.vectorCount, area.vectors.upperBound + 1)
        for y in large.rows {
            let rows = EnlargingKernel.rows(of: weights.plane, y)
            let output = target.row(y)
            for vector in vectors {
                let x = 16 &* vector
                (output[bytes: 2 &* x], output[bytes: 2 &* x &+ 16]) = EnlargingKernel.bytes(rows, x)
            }
        }
    }

    /// An eighth of the way and one at least, a quarter more of what rises by more than 96, and a half of what falls.
    @inline(__always)
    static func moved(_ old: Bytes, _ new: Bytes) -> Bytes {
        let (rise, fall) = (new.less(old), old.less(new))
        let limit = Bytes(repeating: 96)
        return old &+ eighth(rise) &+ rise.less(limit) &>> 2 &- eighth(fall) &- fall.less(limit) &>> 1
    }

    /// Rounded up.
    @inline(__always)
    private static func eighth(_ samples: Bytes) -> Bytes { samples.plus(Bytes(repeating: 7)) &>> 3 }

    static func reference(_ old: UInt8, _ new: UInt8) -> UInt8 {
        let difference = Int(new) - Int(old)
        let size = abs(difference)
        let step = min(255, size + 7) >> 3 + max(0, size - 96) >> (difference > 0 ? 2 : 1)
        return UInt8(Int(old) + (difference > 0 ? step : -step))
    }
}

/// Where in a face a feature may be: a rectangle with soft edges, in cells.
struct FeatureWindow {
    var centerX, centerY: Int
    /// Half the width and height where the weight is full, and where it is 0.
    var innerX, outerX, innerY, outerY: Int

    func weight(column x: Int) -> UInt8 { Self.weight(abs(x - centerX), innerX, outerX) }
    func weight(row y: Int) -> UInt8 { Self.weight(abs(y - centerY), innerY, outerY) }

    private static func weight(_ distance: Int, _ inner: Int, _ outer: Int) -> UInt8 {
        UInt8(max(0, min(255, (outer - distance) * 255 / max(1, outer - inner))))
    }

    /// The cells with any weight.
    var columns: Range<Int> { centerX - outerX..<centerX + outerX + 1 }
    var rows: Range<Int> { centerY - outerY..<centerY + outerY + 1 }
}
