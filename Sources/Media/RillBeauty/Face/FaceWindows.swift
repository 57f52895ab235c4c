/// A picture in which windows are classified: its integral images, and a cascade with its features placed in them.
///
/// Sums wrap around, and so do their differences: a window's own sums fit 32 bits.
@safe
final class FaceWindows {
    private(set) var width = 0
    private(set) var height = 0
    private let stride: Int
    /// The sum of all samples above and to the left of each sample, and of their squares.
    private let sums, squares: UnsafeMutablePointer<UInt32>
    /// The nodes of all trees.
    private let nodes: UnsafeMutablePointer<PlacedNode>
    /// The first node of each tree.
    private let roots: UnsafeMutablePointer<Int>
    private let stages: UnsafeMutablePointer<PlacedStage>
    private let stageCount: Int
    private let side: Int
    /// For each column of the picture, where it is in the plane that it is taken from.
    private let columns: UnsafeMutablePointer<Column>

    /// A column between two of a plane: the left one, and how far it is from it, in 65536ths.
    private struct Column {
        var left, across: Int32
    }

    /// A rectangle of a feature, as offsets of its corners. A missing one weighs nothing.
    private struct PlacedRectangle {
        var corners: (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        var weight: Int32 = 0

        init(_ part: FaceCascade.Rectangle?, stride: Int) {
            guard let part else { return }
            let start = part.y * stride + part.x
            let last = start + part.height * stride
            corners = (Int32(start), Int32(start + part.width), Int32(last), Int32(last + part.width))
            weight = Int32(part.weight)
        }

        @inline(__always)
        @unsafe
        func value(_ sums: UnsafeMutablePointer<UInt32>) -> Int32 {
            // A window's corners are inside the memory, and so are those of its rectangles.
            let sum =
                unsafe sums[Int(corners.3)] &- sums[Int(corners.2)] &- sums[Int(corners.1)] &+ sums[Int(corners.0)]
            return weight &* Int32(truncatingIfNeeded: sum)
        }
    }

    private struct PlacedNode {
        var first, second, third: PlacedRectangle
        var threshold: Float
        /// The next node, or a negative number: the branch ends with its value.
        var below, above: Int
        var valueBelow, valueAbove: Float
    }

    private struct PlacedStage {
        var trees: Range<Int>
        var threshold: Float
    }

    /// Allocates memory for pictures up to that size.
    init(_ cascade: FaceCascade, greatestWidth: Int, greatestHeight: Int) {
        stride = greatestWidth + 1
        side = cascade.side
        let count = stride * (greatestHeight + 1)
        unsafe sums = .allocate(capacity: count)
        unsafe sums.initialize(repeating: 0, count: count)
        unsafe squares = .allocate(capacity: count)
        unsafe squares.initialize(repeating: 0, count: count)
        unsafe columns = .allocate(capacity: stride)
        unsafe columns.initialize(repeating: Column(left: 0, across: 0), count: stride)
        let trees = cascade.stages.flatMap(\.trees)
        stageCount = cascade.stages.count
        unsafe nodes = .allocate(capacity: trees.reduce(0) { $0 + $1.count })
        unsafe roots = .allocate(capacity: trees.count)
        unsafe stages = .allocate(capacity: stageCount)
        var (nodeCount, treeCount) = (0, 0)
        for (index, stage) in cascade.stages.enumerated() {
            let range = treeCount..<treeCount + stage.trees.count
            unsafe (stages + index).initialize(to: PlacedStage(trees: range, threshold: stage.threshold))
            for tree in stage.trees {
                unsafe (roots + treeCount).initialize(to: nodeCount)
                for (place, node) in tree.enumerated() {
                    let placed = placed(node, root: nodeCount, cascade.features[node.feature])
                    unsafe (nodes + nodeCount + place).initialize(to: placed)
                }
                treeCount += 1
                nodeCount += tree.count
            }
        }
    }

    deinit {
        unsafe sums.deallocate()
        unsafe squares.deallocate()
        unsafe columns.deallocate()
        unsafe nodes.deallocate()
        unsafe roots.deallocate()
        unsafe stages.deallocate()
    }

    private func placed(
        _ node: FaceCascade.Node, root: Int, _ feature: [FaceCascade.Rectangle]
    ) -> PlacedNode {
        func parts(_ branch: FaceCascade.Node.Branch) -> (Int, Float) {
            switch branch {
            case .node(let index): (root + index, 0)
            case .leaf(let value): (-1, value)
            }
        }
        func rectangle(_ index: Int) -> PlacedRectangle {
            PlacedRectangle(index < feature.count ? feature[index] : nil, stride: stride)
        }
        let (below, above) = (parts(node.below), parts(node.above))
        return PlacedNode(
            first: rectangle(0), second: rectangle(1), third: rectangle(2), threshold: node.threshold, below: below.0,
            above: above.0, valueBelow: below.1, valueAbove: above.1)
    }

    // MARK: Pictures

    /// Begins a picture; its rows follow.
    ///
    /// - Parameters:
    ///   - size: the part of a plane that the rows are taken from.
    ///   - scale: how many 65536ths that is larger than the picture.
    func begin(size: (width: Int, height: Int), scale: Int) {
        (width, height) = (size.width << 16 / scale, size.height << 16 / scale)
        precondition(width < stride)
        // The last column has no right neighbor: all of the way from the one before.
        let last = max(0, size.width - 2)
        for x in 0..<width {
            let place = max(0, (2 * x + 1) * scale - 65536) >> 1
            let left = min(last, place >> 16)
            let across = min(size.width - 1 - left, 1) * min(65536, place - left << 16)
            unsafe columns[x] = Column(left: Int32(left), across: Int32(across))
        }
    }

    /// Takes row `y` of the picture: part of a plane from (`left`, `top`) on, of that size, bilinear.
    func takeRow(
        _ y: Int, of plane: borrowing CellPlane, left: Int, top: Int, size: (width: Int, height: Int), scale: Int
    ) {
        let place = max(0, (2 * y + 1) * scale - 65536) >> 1
        let row = min(size.height - 1, place >> 16)
        let upper = plane.row(top + row)
        let lower = plane.row(top + min(size.height - 1, row + 1))
        let fraction = place & 65535
        var (sum, square): (UInt32, UInt32) = (0, 0)
        // Both images have one row and one column more than the picture, and the first of each stays 0.
        let (above, here) = (y * stride + 1, (y + 1) * stride + 1)
        for x in 0..<width {
            let column = unsafe columns[x]
            let (place, across) = (left &+ Int(column.left), Int(column.across))
            let first = mixed(upper, place, across)
            let second = mixed(lower, place, across)
            let sample = UInt32(truncatingIfNeeded: (first &<< 16 &+ (second &- first) &* fraction &+ 1 &<< 31) &>> 32)
            sum &+= sample
            square &+= sample &* sample
            unsafe sums[here &+ x] = unsafe sums[above &+ x] &+ sum
            unsafe squares[here &+ x] = unsafe squares[above &+ x] &+ square
        }
    }

    /// A sample between two, in 65536ths.
    @inline(__always)
    private func mixed(_ row: Row, _ left: Int, _ across: Int) -> Int {
        let (first, second) = (Int(row[left]), Int(row[left &+ 1]))
        return first &<< 16 &+ (second &- first) &* across
    }

    // MARK: Windows

    /// How far a window came, and how many features that took.
    struct Classification {
        /// The number of stages that it passed.
        var stages: Int
        /// Whether it passed all of them.
        var isFace: Bool
        var features: Int
    }

    /// Classifies the window at (`x`, `y`), which must be inside the picture.
    func classify(_ x: Int, _ y: Int) -> Classification {
        assert(x >= 0 && y >= 0 && x + side <= width && y + side <= height)
        let place = y * stride + x
        let contrast = contrast(place)
        guard contrast > 0 else { return Classification(stages: 0, isFace: false, features: 1) }
        var count = 1
        let window = unsafe sums + place
        for index in 0..<stageCount {
            // The cascade was checked: stages name existing trees, trees existing nodes.
            let stage = unsafe stages[index]
            var sum: Float = 0
            var tree = stage.trees.lowerBound
            while tree < stage.trees.upperBound {
                var next = unsafe roots[tree]
                while next >= 0 {
                    let node = unsafe nodes + next
                    count &+= 1
                    var value = unsafe node.pointee.first.value(window) &+ node.pointee.second.value(window)
                    if unsafe node.pointee.third.weight != 0 { unsafe value &+= node.pointee.third.value(window) }
                    let isBelow = unsafe Float(value) < node.pointee.threshold * contrast
                    next = unsafe isBelow ? node.pointee.below : node.pointee.above
                    if next < 0 { unsafe sum += isBelow ? node.pointee.valueBelow : node.pointee.valueAbove }
                }
                tree &+= 1
            }
            guard sum >= stage.threshold else { return Classification(stages: index, isFace: false, features: count) }
        }
        return Classification(stages: stageCount, isFace: true, features: count)
    }

    /// The standard deviation of the window without its rim, times its area; 0 for windows with too little of it.
    private func contrast(_ place: Int) -> Float {
        let (first, length) = (place + stride + 1, side - 2)
        let last = first + length * stride
        // As above: inside the window.
        let sum = unsafe sums[last + length] &- sums[last] &- sums[first + length] &+ sums[first]
        let square = unsafe squares[last + length] &- squares[last] &- squares[first + length] &+ squares[first]
        let variance = length * length * Int(square) - Int(sum) * Int(sum)
        // A deviation of ten code values at least, as in OpenCV.
        let contrast = Float(max(0, variance)).squareRoot()
        return contrast > 10 * Float(length * length) ? contrast : 0
    }
}
