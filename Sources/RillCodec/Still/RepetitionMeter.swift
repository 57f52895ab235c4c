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
