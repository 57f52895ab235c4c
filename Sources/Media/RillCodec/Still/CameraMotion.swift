import RillCore

/// Finds out whether the camera or the light moves, from blocks that seem to stand still.
///
/// Where a picture moves by parts of a pixel, it differs from the picture before by its gradients, all to one side;
/// where the light changes it differs by a constant. Noise does neither. Smooth walls would seem to stand still, but
/// moved or lit again they are better predicted by an encoder that looks for the motion in every block.
///
/// It keeps a few samples of the picture before, and so also finds out whether the source repeats them.
struct CameraMotion: Sendable {
    /// One of this many macroblocks is examined; all of them in turn.
    static let interval = 8
    /// Whether the camera or the light moves.
    private(set) var isMoving = false
    /// Whether the source repeats its pictures.
    var isRepeating: Bool { repetition.isRepeating }
    /// One row of luma of each row of macroblocks, of the picture before; empty before the first.
    private var previous: [UInt8] = []
    private let width: Int
    private var sums = MotionSums()
    private var repetition = RepetitionMeter()
    /// The mean squared difference from picture to picture, smoothed, and what of it a motion explains.
    private var energy = (whole: 0.0, explained: 0.0)
    /// The change of the light from picture to picture in code values, smoothed.
    private var drift = 0.0

    private static let smoothing = 1.0 / 8
    private static let shareLimits = (start: 0.13, end: 0.1)
    /// The minimum energy that a motion explains, so that motion before a pause is forgotten.
    private static let leastEnergy = 0.01
    private static let driftLimits = (start: 0.12, end: 0.08)

    init(_ resolution: Resolution) {
        width = resolution.width
        previous.reserveCapacity(width * ((resolution.height + 15) / 16))
    }

    /// Returns the column of the first macroblock of a row that is looked at in a picture.
    static func firstSample(ofRow row: Int, picture: Int) -> Int { (3 &* (row &+ picture)) & (interval - 1) }

    /// Adds a macroblock.
    ///
    /// - Parameter isStill: whether it seems to be still. Moving blocks do not show the motion of the camera.
    mutating func add(_ column: Int, of blocks: borrowing MacroblockRow, isStill: Bool) {
        guard !previous.isEmpty else { return }
        let isRepeated = blocks.repeats(column, previous.span)
        repetition.add(isRepeated: isRepeated)
        // A repeated slide adds no information.
        guard isStill, !(isRepeated && repetition.isRepeating) else { return }
        var sums = sums
        blocks.addMotion(column, since: previous.span, to: &sums)
        self.sums = sums
    }

    /// Draws the conclusion of a picture.
    mutating func finishPicture(_ picture: borrowing PicturePlanes) {
        energy.whole += (sums.meanSquare - energy.whole) * Self.smoothing
        energy.explained += (sums.meanSquare * sums.explainedShare - energy.explained) * Self.smoothing
        drift += (sums.mean - drift) * Self.smoothing
        sums = MotionSums()
        repetition.finishPicture()
        isMoving =
            energy.explained
            > max(Self.leastEnergy, energy.whole * (isMoving ? Self.shareLimits.end : Self.shareLimits.start))
            || abs(drift) > (isMoving ? Self.driftLimits.end : Self.driftLimits.start)
        previous.removeAll(keepingCapacity: true)
        for row in stride(from: MacroblockRow.motionLine, to: picture.y.height, by: 16) {
            previous.append(copying: picture.y.row(row))
        }
    }
}

/// How differences between two pictures go along with gradients.
struct MotionSums: Sendable {
    private var count = 0
    private var differences = 0
    private var squares = 0
    private var across = Direction()
    private var down = Direction()

    private struct Direction: Sendable {
        private var product = 0
        private var squares = 0

        @inline(__always)
        mutating func add(_ difference: Int, _ gradient: Int) {
            product &+= difference &* gradient
            squares &+= gradient &* gradient
        }

        /// The share of the squared differences that a motion in this direction takes away.
        func explainedShare(of differences: Int) -> Double {
            guard squares > 0, differences > 0 else { return 0 }
            return Double(product) * Double(product) / (Double(squares) * Double(differences))
        }
    }

    /// Adds a sample: its difference from the picture before, and the picture's gradients.
    @inline(__always)
    mutating func add(difference: Int, across: Int, down: Int) {
        count &+= 1
        differences &+= difference
        squares &+= difference &* difference
        self.across.add(difference, across)
        self.down.add(difference, down)
    }

    /// The mean difference; 0 without samples.
    var mean: Double { count > 0 ? Double(differences) / Double(count) : 0 }

    /// The mean squared difference; 0 without samples.
    var meanSquare: Double { count > 0 ? Double(squares) / Double(count) : 0 }

    /// The share of the squared differences that a motion explains; 0 without samples.
    var explainedShare: Double { across.explainedShare(of: squares) + down.explainedShare(of: squares) }
}

/// Detects pictures that repeat the previous one sample by sample: slides, drawings, a screen.
///
/// Such a source has no noise. An encoder that codes all of it refines it from frame to frame, until nothing is left
/// to code. This gains more than skipping blocks saves.
struct RepetitionMeter: Sendable {
    /// Whether most of the picture is repeated. Compressed webcams repeat up to half of it.
    private(set) var isRepeating = false
    /// Macroblocks that were looked at in this picture.
    private var seen = (all: 0, repeated: 0)
    /// The same of a picture, smoothed.
    private var usual = (all: 0.0, repeated: 0.0)

    private static let smoothing = 1.0 / 8
    private static let mostShare = 0.75

    /// Adds a macroblock: whether the samples that were looked at are those of the picture before.
    @inline(__always)
    mutating func add(isRepeated: Bool) {
        seen.all &+= 1
        seen.repeated &+= isRepeated ? 1 : 0
    }

    /// Draws the conclusion of a picture.
    mutating func finishPicture() {
        usual.all += (Double(seen.all) - usual.all) * Self.smoothing
        usual.repeated += (Double(seen.repeated) - usual.repeated) * Self.smoothing
        seen = (0, 0)
        isRepeating = usual.repeated > Self.mostShare * usual.all
    }
}
