/// Sums over squares of cells, scaled: the means that everything here is made of.
///
/// For a radius r each result is min(255, ((sum of (2r + 1)² cells + bias) * factor) >> 16); outside the plane lies what is
/// nearest in it. Sums of columns run down the plane, so that a row costs the same whatever the radius is; across, a
/// vector is summed by 2r + 1 loads, which are cheaper than a running sum as no lane waits for another.
struct BoxKernel {
    let radius: Int
    let factor: UInt16
    let bias: UInt16
    /// The greatest sum whose result fits a byte. More is brought down to it before it is multiplied: the other way round
    /// the compiler takes the vector apart.
    private var top: UInt16 { UInt16(clamping: (256 * 65536 - 1) / Int(factor)) }

    /// Whether results could exceed a byte: means cannot, and sums are only asked for where they do not.
    private let isClamped: Bool

    /// The greatest radius: 15² samples of 255 still fit 16 bits.
    static let greatestRadius = 7

    /// The mean, rounded to the nearest (to a 150th at the worst).
    init(meanOverRadius radius: Int) {
        precondition((1...BoxKernel.greatestRadius).contains(radius))
        self.radius = radius
        let area = (2 * radius + 1) * (2 * radius + 1)
        factor = UInt16((65536 + area / 2) / area)
        bias = UInt16(area / 2)
        isClamped = false
    }

    /// The mean in parts of a sixteenth. Samples must not exceed 28.
    init(sixteenthsOverRadius radius: Int) {
        precondition((2...BoxKernel.greatestRadius).contains(radius))
        self.radius = radius
        let area = (2 * radius + 1) * (2 * radius + 1)
        factor = UInt16(clamping: (16 * 65536 + area / 2) / area)
        bias = 0
        isClamped = true
    }

    /// The sum itself, as long as it is less than 256.
    init(sumOverRadius radius: Int) {
        self.radius = radius
        // A product with 65536 less a little more than itself: exact for sums below 256.
        factor = 65535
        bias = 1
        isClamped = false
    }

    /// Fills `target`.
    func run(_ source: borrowing CellPlane, to target: borrowing CellPlane, sums: borrowing ColumnSums) {
        begin(source, sums.row)
        for y in 0..<source.height { fill(source, y, target.row(y), nil, sums.row) }
    }

    /// The same where that is of use: where sixteen cells of `selection` in a row are all 0 (the vectors of a row begin at
    /// its start), the result is 0 and costs next to nothing.
    func run(
        _ source: borrowing CellPlane, to target: borrowing CellPlane, sums: borrowing ColumnSums,
        where selection: borrowing CellPlane
    ) {
        begin(source, sums.row)
        for y in 0..<source.height { fill(source, y, target.row(y), selection.row(y), sums.row) }
    }

    /// Fills row y, and moves the sums on to the next.
    private func fill(_ source: borrowing CellPlane, _ y: Int, _ output: Row, _ selection: Row?, _ columns: WordRow) {
        extend(columns, width: source.width)
        // The radii that the filter uses are types here, for each of which there is code with its loop unrolled.
        switch (radius, isClamped) {
        case (1, false): spread(columns, output, source.vectorCount, selection, Radius1.self)
        case (2, false): spread(columns, output, source.vectorCount, selection, Radius2.self)
        case (3, false): spread(columns, output, source.vectorCount, selection, Radius3.self)
        case (2, true): spread(columns, output, source.vectorCount, selection, ClampedRadius2.self)
        case (4, true): spread(columns, output, source.vectorCount, selection, ClampedRadius4.self)
        case (6, true): spread(columns, output, source.vectorCount, selection, ClampedRadius6.self)
        default: spread(columns, output, source.vectorCount, selection, radius, isClamped: isClamped)
        }
        slide(source, columns, y)
    }

    /// The sums of the columns around row 0.
    private func begin(_ source: borrowing CellPlane, _ columns: WordRow) {
        for vector in 0..<2 * source.vectorCount { columns[words: 8 * vector] = .zero }
        for y in -radius...radius {
            let row = source.nearestRow(y)
            for vector in 0..<source.vectorCount {
                let samples = row[bytes: 16 * vector]
                columns[words: 16 * vector] &+= samples.lowWords
                columns[words: 16 * vector + 8] &+= samples.highWords
            }
        }
    }

    /// From the sums around row y to those around the next.
    private func slide(_ source: borrowing CellPlane, _ columns: WordRow, _ y: Int) {
        let entering = source.nearestRow(y + radius + 1)
        let leaving = source.nearestRow(y - radius)
        var x = 0
        while x < source.width {
            let new = entering[bytes: x]
            let old = leaving[bytes: x]
            columns[words: x] = columns[words: x] &+ new.lowWords &- old.lowWords
            columns[words: x + 8] = columns[words: x + 8] &+ new.highWords &- old.highWords
            x += 16
        }
    }

    private func extend(_ columns: WordRow, width: Int) {
        for distance in 1...radius {
            columns[-distance] = columns[0]
            columns[width - 1 + distance] = columns[width - 1]
        }
    }

    private func spread<Constant: BoxRadius>(
        _ columns: WordRow, _ output: Row, _ vectorCount: Int, _ selection: Row?, _: Constant.Type
    ) {
        spread(columns, output, vectorCount, selection, Constant.radius, isClamped: Constant.isClamped)
    }

    @inline(__always)
    private func spread(
        _ columns: WordRow, _ output: Row, _ vectorCount: Int, _ selection: Row?, _ radius: Int, isClamped: Bool
    ) {
        let (factors, biases, tops) = (Words(repeating: factor), Words(repeating: bias), Words(repeating: top))
        let end = 16 &* vectorCount
        var x = 0
        while x < end {
            if let selection, selection[bytes: x].isZero {
                output[bytes: x] = .zero
            } else {
                var low = biases
                var high = biases
                var offset = -radius
                while offset <= radius {
                    low &+= columns[words: x &+ offset]
                    high &+= columns[words: x &+ 8 &+ offset]
                    offset &+= 1
                }
                if isClamped { (low, high) = (low.smaller(tops), high.smaller(tops)) }
                output[bytes: x] = Bytes(low.upperProduct(factors), high.upperProduct(factors))
            }
            x &+= 16
        }
    }

    /// What ``run(_:to:sums:where:)`` comes to at one cell.
    func reference(_ source: borrowing CellPlane, _ x: Int, _ y: Int) -> UInt8 {
        var sum = Int(bias)
        for row in y - radius...y + radius {
            for column in x - radius...x + radius {
                sum += Int(source.nearestRow(row)[max(0, min(source.width - 1, column))])
            }
        }
        return UInt8(min(255, (sum * Int(factor)) >> 16))
    }
}

private protocol BoxRadius {
    static var radius: Int { get }
    static var isClamped: Bool { get }
}

private enum Radius1: BoxRadius {
    static var radius: Int { 1 }
    static var isClamped: Bool { false }
}

private enum Radius2: BoxRadius {
    static var radius: Int { 2 }
    static var isClamped: Bool { false }
}

private enum Radius3: BoxRadius {
    static var radius: Int { 3 }
    static var isClamped: Bool { false }
}

private enum ClampedRadius2: BoxRadius {
    static var radius: Int { 2 }
    static var isClamped: Bool { true }
}

private enum ClampedRadius4: BoxRadius {
    static var radius: Int { 4 }
    static var isClamped: Bool { true }
}

private enum ClampedRadius6: BoxRadius {
    static var radius: Int { 6 }
    static var isClamped: Bool { true }
}
