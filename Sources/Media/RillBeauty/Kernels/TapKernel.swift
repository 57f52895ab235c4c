/// Combines each sample with two others at a distance above and below, and then the results with two others at the
/// same distance left and right: nine samples for six loads. Outside of a plane its nearest samples count.
///
/// Repeated with distances 1 and 2, or 1 and 3, it covers a square of seven or nine samples.
enum TapKernel {
    /// The largest distance, and so the samples that a row may be extended by.
    static let greatestDistance = 8

    /// Runs the kernel.
    ///
    /// - Parameters:
    ///   - source: the plane to read.
    ///   - distance: the distance of the neighbors, in samples.
    ///   - row: a row at least as wide as `source`, for intermediate results.
    ///   - spans: the vectors of each row to compute; `nil` for all. The others are undefined.
    ///   - target: the plane to write, not `source`.
    @inline(__always)
    static func run<Operation: Tap>(
        _: Operation.Type, _ source: borrowing CellPlane, distance: Int = 1, row: borrowing CellPlane,
        spans: MaskSpans? = nil, to target: borrowing CellPlane
    ) {
        precondition((1...greatestDistance).contains(distance))
        let columns = row.row(0)
        for y in 0..<source.height {
            let span = spans?[y] ?? 0..<source.vectorCount
            guard !span.isEmpty else { continue }
            let (above, here, below) = (source.nearestRow(y - distance), source.row(y), source.nearestRow(y + distance))
            // Two vectors at once. The second may extend past the last one, into the padding.
            var x = 16 &* max(0, span.lowerBound &- 1)
            while x < 16 &* min(source.vectorCount, span.upperBound &+ 1) {
                columns[bytes: x] = Operation.combine(above[bytes: x], here[bytes: x], below[bytes: x])
                columns[bytes: x &+ 16] = Operation.combine(
                    above[bytes: x &+ 16], here[bytes: x &+ 16], below[bytes: x &+ 16])
                x &+= 32
            }
            columns.extend(width: source.width, by: distance)
            let output = target.row(y)
            x = 16 &* span.lowerBound
            while x < 16 &* span.upperBound {
                output[bytes: x] = Operation.combine(
                    columns[bytes: x &- distance], columns[bytes: x], columns[bytes: x &+ distance])
                output[bytes: x &+ 16] = Operation.combine(
                    columns[bytes: x &+ 16 &- distance], columns[bytes: x &+ 16],
                    columns[bytes: x &+ 16 &+ distance])
                x &+= 32
            }
        }
    }

    static func reference<Operation: Tap>(
        _: Operation.Type, _ source: borrowing CellPlane, distance: Int, _ x: Int, _ y: Int
    ) -> UInt8 {
        func column(_ x: Int) -> UInt8 {
            let x = max(0, min(source.width - 1, x))
            return Operation.combine(
                source.nearestRow(y - distance)[x], source.row(y)[x], source.nearestRow(y + distance)[x])
        }
        return Operation.combine(column(x - distance), column(x), column(x + distance))
    }
}

/// An operation on three samples in a line.
protocol Tap {
    static func combine(_ first: Bytes, _ middle: Bytes, _ last: Bytes) -> Bytes
    static func combine(_ first: UInt8, _ middle: UInt8, _ last: UInt8) -> UInt8
}

/// The mean with weights 1, 2, 1, each half rounded up: in both directions together about 3/4 too much.
enum BlurTap: Tap {
    @inline(__always)
    static func combine(_ first: Bytes, _ middle: Bytes, _ last: Bytes) -> Bytes { middle.mean(first.mean(last)) }

    static func combine(_ first: UInt8, _ middle: UInt8, _ last: UInt8) -> UInt8 { middle.mean(first.mean(last)) }
}

/// The sum. Nine samples must add up to less than 256.
enum SumTap: Tap {
    @inline(__always)
    static func combine(_ first: Bytes, _ middle: Bytes, _ last: Bytes) -> Bytes { first &+ middle &+ last }

    static func combine(_ first: UInt8, _ middle: UInt8, _ last: UInt8) -> UInt8 { first + middle + last }
}

/// The maximum.
enum MaximumTap: Tap {
    @inline(__always)
    static func combine(_ first: Bytes, _ middle: Bytes, _ last: Bytes) -> Bytes { first.greater(middle).greater(last) }

    static func combine(_ first: UInt8, _ middle: UInt8, _ last: UInt8) -> UInt8 { max(first, middle, last) }
}

/// The minimum.
enum MinimumTap: Tap {
    @inline(__always)
    static func combine(_ first: Bytes, _ middle: Bytes, _ last: Bytes) -> Bytes { first.smaller(middle).smaller(last) }

    static func combine(_ first: UInt8, _ middle: UInt8, _ last: UInt8) -> UInt8 { min(first, middle, last) }
}

/// Combines each sample with its neighbor in one direction of columns and of rows, and with the one diagonally between:
/// two by two samples. Outside of a plane its nearest samples count.
///
/// The minimum toward the right and below, and then the maximum toward the left and above, removes what is narrower
/// than two samples and leaves the rest.
enum PairKernel {
    /// Which neighbors count.
    enum Direction: Int {
        case leftAndAbove = -1
        case rightAndBelow = 1
    }

    /// Runs the kernel.
    ///
    /// - Parameters:
    ///   - source: the plane to read.
    ///   - direction: where the neighbors are.
    ///   - row: a row at least as wide as `source`, for intermediate results.
    ///   - target: the plane to write, not `source`.
    @inline(__always)
    static func run<Operation: Tap>(
        _: Operation.Type, _ source: borrowing CellPlane, _ direction: Direction, row: borrowing CellPlane,
        to target: borrowing CellPlane
    ) {
        let columns = row.row(0)
        for y in 0..<source.height {
            let (here, beside) = (source.row(y), source.nearestRow(y + direction.rawValue))
            for vector in 0..<source.vectorCount {
                let x = 16 &* vector
                columns[bytes: x] = Operation.combine(here[bytes: x], here[bytes: x], beside[bytes: x])
            }
            columns.extend(width: source.width, by: 1)
            let output = target.row(y)
            for vector in 0..<source.vectorCount {
                let x = 16 &* vector
                let sample = columns[bytes: x]
                output[bytes: x] = Operation.combine(sample, sample, columns[bytes: x &+ direction.rawValue])
            }
        }
    }

    static func reference<Operation: Tap>(
        _: Operation.Type, _ source: borrowing CellPlane, _ direction: Direction, _ x: Int, _ y: Int
    ) -> UInt8 {
        func column(_ x: Int) -> UInt8 {
            let x = max(0, min(source.width - 1, x))
            let sample = source.row(y)[x]
            return Operation.combine(sample, sample, source.nearestRow(y + direction.rawValue)[x])
        }
        return Operation.combine(column(x), column(x), column(x + direction.rawValue))
    }
}
