/// A face over time: its last position, and its learned properties.
struct TrackedFace {
    /// Where it is, in the units of the plane that is searched.
    var region: FaceRegion
    /// Where it was when it was seen last.
    private var seen: FaceRegion
    /// Where the skin in and around it lies, relative to its middle, since it was last seen.
    private var anchor: SkinCenter?
    /// Frames since it was seen.
    var framesMissed = 0
    /// Whether two searches of its surroundings saw it too: one that searches everything takes other things for a face.
    var isConfirmed = false
    private var sightings = 0
    /// Whether it was seen since its color was learned.
    var hasNews = true
    /// The color of its skin, once learned. It follows slowly what sightings show.
    var color: SkinColor?
    private var seenColor: SkinColor?
    /// How much its color counts, from 0 to 256: it comes and goes slowly.
    var strength = 0
    /// How much its lips and eyes count, up to 256: they come after its color and go before it, so that no pixel
    /// changes by both at once. Below 0 they still go, as their weights follow slowly.
    private var features = 0
    var featureStrength: Int { max(0, min(256, features)) }
    /// How much its highlights limit what is lightened, up to 256: last of all to come, and first to go, and twice as
    /// fast.
    var highlightStrength: Int { max(0, 2 * (features - 256)) }

    /// Frames that a face may be turned or covered for.
    static let memory = 120
    /// Frames within which a new face must be seen again.
    private static let trial = 45
    /// The change of strength per frame: at most a code value of lightening.
    private static let step = 4
    /// Where lips, eyes and highlights count in full.
    private static let allFeatures = 256 + 128
    /// Where nothing is left of lips and eyes.
    private static let goneFeatures = -96

    /// Whether it still counts as there.
    var isPresent: Bool { framesMissed < (isConfirmed ? TrackedFace.memory : TrackedFace.trial) }

    init(_ region: FaceRegion) {
        self.region = region
        seen = region
    }

    /// Takes the place where a search of its surroundings found it.
    mutating func see(_ found: FaceRegion) {
        // Half the way: where exactly a search finds a face is noise. But a face that was away is where it was found.
        let isNear = region.isNear(found, within: 0.25)
        region =
            isNear
            ? FaceRegion(
                x: (region.x + found.x) / 2, y: (region.y + found.y) / 2, side: (region.side + found.side) / 2)
            : found
        seen = region
        framesMissed = 0
        hasNews = true
        sightings += 1
        if sightings >= 2 { isConfirmed = true }
    }

    /// Takes over the properties of another face, which turned out to be the same.
    mutating func join(_ other: TrackedFace) {
        if other.framesMissed < framesMissed {
            (region, seen, anchor, framesMissed) = (other.region, other.seen, other.anchor, other.framesMissed)
        }
        isConfirmed = isConfirmed || other.isConfirmed
        if color == nil { (color, seenColor) = (other.color, other.seenColor) }
        strength = max(strength, other.strength)
        features = max(features, other.features)
    }

    /// Takes the place that an app found; `nil` if the face is not there anymore.
    mutating func give(_ found: FaceRegion?) {
        guard let found else {
            framesMissed = TrackedFace.memory
            return
        }
        // The anchor of the tracking is at the former position.
        (region, seen, anchor) = (found, found, nil)
        (framesMissed, isConfirmed, hasNews) = (0, true, true)
    }

    /// Follows the skin of the mask, between two sightings. The units of the face are `scale` to a block of the mask.
    ///
    /// By a quarter of its size at the most: an arm that is raised beside the face would draw it away.
    mutating func follow(_ mask: borrowing CellPlane, scale: Int) {
        guard let center = SkinCenter(of: region, in: mask, scale: scale) else { return }
        guard let anchor, framesMissed > 0 else {
            anchor = center
            return
        }
        // Skin that appeared or disappeared does not show a motion.
        guard center.count > anchor.count * 3 / 4, center.count < anchor.count * 4 / 3 else { return }
        let most = max(1, region.side / 4)
        region.x = max(seen.x - most, min(seen.x + most, region.x + center.x - anchor.x))
        region.y = max(seen.y - most, min(seen.y + most, region.y + center.y - anchor.y))
    }

    /// Records that the last detection does not look like a face after all. The face counts no longer, and is soon
    /// dropped unless it is detected again.
    mutating func doubt() {
        (hasNews, isConfirmed, sightings) = (false, false, 0)
    }

    /// Takes the color of the face, if it was just seen.
    mutating func learn(_ color: SkinColor?) {
        guard hasNews, let color else { return }
        hasNews = false
        if seenColor == nil { (self.color, seenColor) = (color, color) } else { seenColor?.approach(color) }
    }

    /// Lets it count in full at once, if it is known.
    mutating func countInFull() {
        guard isPresent, isConfirmed, color != nil else { return }
        (strength, features) = (256, TrackedFace.allFeatures)
    }

    /// Advances by a frame.
    mutating func advance() {
        framesMissed += 1
        if let seenColor { color?.creep(to: seenColor) }
        let isLearned = isPresent && isConfirmed && color != nil
        if isLearned {
            if strength < 256 {
                strength += TrackedFace.step
            } else {
                features = min(TrackedFace.allFeatures, max(0, features) + TrackedFace.step)
            }
        } else if features > TrackedFace.goneFeatures {
            features -= TrackedFace.step
        } else {
            strength = max(0, strength - TrackedFace.step)
        }
    }
}

/// The middle of the skin in the surroundings of a face.
private struct SkinCenter {
    /// Relative to the middle of the face, in its units.
    let x, y: Int
    /// The number of blocks that were looked at and are skin.
    let count: Int

    /// Looks at some hundreds of blocks: all of those of small faces, and fewer of large ones. `nil` without any skin.
    init?(of face: FaceRegion, in mask: borrowing CellPlane, scale: Int) {
        let margin = face.side / 4
        let step = 1 + face.side / scale / 24
        let columns = ((face.x - margin) / scale..<(face.x + face.side + margin) / scale).clamped(to: 0..<mask.width)
        let rows = ((face.y - margin) / scale..<(face.y + face.side + margin) / scale).clamped(to: 0..<mask.height)
        var (x, y, count) = (0, 0, 0)
        for row in stride(from: rows.lowerBound, to: rows.upperBound, by: step) {
            let samples = mask.row(row)
            for column in stride(from: columns.lowerBound, to: columns.upperBound, by: step)
            where samples[column] >= 128 {
                x += column
                y += row
                count += 1
            }
        }
        guard count > 0 else { return nil }
        self.x = (x * scale + count / 2) / count - face.x - face.side / 2
        self.y = (y * scale + count / 2) / count - face.y - face.side / 2
        self.count = count
    }
}
