/// A face over time: where it was last seen, and what was learned from it.
struct TrackedFace {
    /// Where it is, in the units of the plane that is searched.
    var region: FaceRegion
    /// Frames since it was seen.
    var framesMissed = 0
    /// Whether a second search saw it too.
    var isConfirmed = false
    /// Whether it was seen since its color was learned.
    var hasNews = true
    /// The color of its skin, once learned.
    var color: SkinColor?
    /// How much its color counts, from 0 to 256: it comes and goes slowly.
    var strength = 0

    /// Frames that a face may be turned or covered for.
    private static let memory = 120
    /// Frames within which a new face must be seen again.
    private static let trial = 45
    /// The change of strength per frame: at most a code value of lightening.
    private static let step = 8

    /// Whether it still counts as there.
    var isPresent: Bool { framesMissed < (isConfirmed ? TrackedFace.memory : TrackedFace.trial) }

    init(_ region: FaceRegion) { self.region = region }

    /// Takes the place where a search found it.
    mutating func see(_ found: FaceRegion) {
        // Half the way: where exactly a search finds a face is noise.
        region = FaceRegion(
            x: (region.x + found.x) / 2, y: (region.y + found.y) / 2, side: (region.side + found.side) / 2)
        framesMissed = 0
        hasNews = true
    }

    /// Takes the color of the face, if it was just seen.
    mutating func learn(_ seen: SkinColor?) {
        guard hasNews, let seen else { return }
        hasNews = false
        if color == nil { color = seen } else { color?.approach(seen) }
    }

    /// Advances by a frame.
    mutating func advance() {
        framesMissed += 1
        let isLearned = isPresent && isConfirmed && color != nil
        strength = max(0, min(256, strength + (isLearned ? TrackedFace.step : -TrackedFace.step)))
    }
}
