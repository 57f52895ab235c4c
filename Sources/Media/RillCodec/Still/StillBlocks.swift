import RillCore

/// Says which macroblocks of a picture an encoder need not code, because its reference already shows them.
///
/// A webcam's background stands still, but for the sensor's noise. A block is still if the reference differs from it by
/// no more than the quantizer or the noise hides (``StillLimits``), and if it has not changed for a while
/// (``BlockAges``). The reference is the picture that decoders have: what drifts away from it, however slowly, is coded
/// again, so nothing has to be refreshed.
///
/// Every second row of samples is compared, the even ones of one picture and the odd ones of the next: what only the
/// other rows show is seen a picture later.
///
/// Blocks that the picture's edge cuts are always coded. So is all while the camera or the light moves
/// (``CameraMotion``), and all of sources without noise (``RepetitionMeter``).
///
/// A pure value, tested without libvpx. Cost: reads half of both pictures' luma, and half of chroma where luma stands
/// still; no allocation after the first picture.
struct StillBlocks: Sendable {
    /// The picture's macroblocks in a row.
    let columns: Int
    /// Rows of macroblocks.
    let rows: Int
    /// The decision for each macroblock, row by row: 1 to code it, 0 to copy it from the reference.
    private(set) var map: [UInt8]
    /// The macroblocks of ``map`` that are not coded.
    private(set) var stillCount = 0
    private var luma = NoiseMeter()
    private var chroma = NoiseMeter()
    private var ages: BlockAges
    private var motion: CameraMotion
    private var pictureCount = 0

    /// The share of blocks, of all sizes, that measure the noise of luma. In a lively picture most blocks contain
    /// motion.
    private static let stillestShare = 0.15
    /// The same for chroma, which is looked at only where luma stands still.
    private static let middleShare = 0.5

    /// Whether the picture shows much that the one before did not, where it was at rest.
    var showsNews: Bool { ages.showsNews }

    /// Creates the state for pictures of one size. Nothing is still before the first comparison.
    init(_ resolution: Resolution) {
        columns = (resolution.width + 15) / 16
        rows = (resolution.height + 15) / 16
        map = Array(repeating: 1, count: columns * rows)
        ages = BlockAges(count: columns * rows)
        motion = CameraMotion(resolution)
    }

    /// Compares a picture with the reference, and updates ``map``.
    ///
    /// - Parameters:
    ///   - source: the picture to code.
    ///   - reference: the picture that decoders have, of the same size.
    ///   - step: the quantizer's step of the reference, in code values of a sample.
    /// - Returns: whether to use the map; `false` while the camera or the light moves, or the source has no noise.
    mutating func compare(
        _ source: borrowing PicturePlanes, with reference: borrowing PicturePlanes, step: Double
    ) -> Bool {
        let limits = StillLimits(step: step, noise: luma.noise, chromaNoise: chroma.noise)
        let isUseless = motion.isMoving || motion.isRepeating
        stillCount = 0
        ages.beginPicture()
        for row in 0..<source.y.height / 16 {
            let blocks = MacroblockRow(row, source, reference, parity: pictureCount & 1)
            // As long as the map is not used, only a sample is looked at.
            let first = CameraMotion.firstSample(ofRow: row, picture: pictureCount)
            var next = first
            for column in stride(
                from: isUseless ? first : 0, to: blocks.count, by: isUseless ? CameraMotion.interval : 1)
            {
                let index = row &* columns &+ column
                let isStill = isStill(column, at: index, of: blocks, limits)
                map[index] = isStill ? 0 : 1
                stillCount &+= isStill ? 1 : 0
                guard column == next else { continue }
                next &+= CameraMotion.interval
                motion.add(column, of: blocks, isStill: isStill)
            }
        }
        pictureCount &+= 1
        luma.finishPicture(at: Self.stillestShare)
        chroma.finishPicture(at: Self.middleShare)
        motion.finishPicture(source)
        return !isUseless && !motion.isMoving && !motion.isRepeating
    }

    /// - Parameter index: the macroblock's place in the map.
    @inline(__always)
    private mutating func isStill(
        _ column: Int, at index: Int, of blocks: borrowing MacroblockRow, _ limits: StillLimits
    ) -> Bool {
        let upper = blocks.upperLuma(column)
        var squares = upper.squares.x &+ upper.squares.y
        guard squares <= limits.squares else {
            luma.add(2 &* squares)
            _ = ages.add(index, isChanged: 2 &* squares > limits.change)
            return false
        }
        let lower = blocks.lowerLuma(column)
        squares &+= lower.squares.x &+ lower.squares.y
        luma.add(squares)
        let isOld = ages.add(index, isChanged: squares > limits.change)
        guard squares <= limits.squares, upper.pairs &+ lower.pairs <= limits.pairs, limits.allowsLuma(upper.sums),
            limits.allowsLuma(lower.sums)
        else { return false }
        let errors = blocks.chroma(column)
        chroma.add(2 &* (errors.squares.x &+ errors.squares.y))
        return isOld && limits.allowsChroma(errors)
    }
}
