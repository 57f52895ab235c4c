import RillCore

/// Decides how coarse the next frame must be at least, so that it is not much larger than the network carries.
///
/// libvpx's rate control keeps the mean of a second. Single frames exceed it: the first of a new scene takes 5 to 9
/// times the mean, and both codecs may need several frames to follow a lower target. A floor under the quantizer
/// prevents both:
///
/// - A picture without a usable reference, a key frame or the first one of a scene, gets at most the bits of ``limit``
///   at the target bitrate, or of 1.75 frames of a slow layer. Its size at a quantizer follows from its pixels and from
///   earlier such pictures.
/// - While the target is far below what the last frames were encoded with, each frame gets at most its share. Its size
///   follows from the frame before.
/// - A frame with a limit of its own, for a queue that is too long, is predicted in the same way.
///
/// Whatever a coarse frame saves, the two frames after it would spend: libvpx refines the picture at once. So the floor
/// sinks slowly after it, halving its distance to the usual quantizer with each of four frames. Without that a frame
/// that was limited to half its share saved 5 % of the next four frames (VP8 and VP9 at 500 kbit/s, 1280x720), with it
/// 25 to 35 %.
///
/// A pure value beside the encoder.
struct BurstLimiter: Sendable {
    /// The known properties of a frame before it is encoded.
    struct Frame: Sendable {
        /// Whether it has no usable reference: a key frame, or the first of a scene.
        var isIntra = false
        var pixelCount: Int
        var bitrate: Bitrate
        var duration: MediaDuration
        /// The most bytes that the frame may have; `nil` for no limit of its own.
        var byteLimit: Int?
    }

    /// The longest time that a frame takes at the target bitrate.
    var limit: MediaDuration
    /// Whether the size of a frame predicts that of the next one well enough to follow a lower target.
    private let followsByFloor: Bool
    private let model: QuantizerModel
    /// The last frame that had a reference.
    private var last: (byteCount: Int, quantizer: Int)?
    /// The floor that sinks after a coarse frame.
    private var sinking: Sinking?
    /// The model's factor for this clip.
    private var intraFactor: Double
    /// The average bitrate of the last frames. A lower target is approached within about twelve frames.
    private var steadyBitrate = 0.0

    private struct Sinking: Sendable {
        /// Where it sinks to: what frames had before.
        var usual: Int
        var floor: Int
        var framesLeft = 4

        mutating func sink() {
            floor = usual + (floor - usual) / 2
            framesLeft -= 1
        }
    }

    /// The most that a quantizer index falls from frame to frame while a lower target is approached: a coarse frame's
    /// successor would spend what that saved.
    private static let fall = 10

    /// Below this share of ``steadyBitrate``, a target is far lower.
    private static let farLower = 0.85
    /// The minimum size of a key frame, in shares of a frame: as in ``LayerSettings/low(_:)``.
    private static let minimumIntraShare = 1.75
    /// How far the factor may be from the model's.
    private static let intraRange = 0.4...2.5

    /// Creates a limiter for a codec; `nil` if the scale of its quantizers is unknown.
    ///
    /// - Parameters:
    ///   - codec: the codec.
    ///   - hasTemporalLayers: whether frames differ in size by their layer, so that a frame does not predict the next
    ///     one.
    ///   - limit: the longest time that a frame takes at the target bitrate.
    init?(_ codec: VideoCodec, hasTemporalLayers: Bool = false, limit: MediaDuration) {
        guard let model = QuantizerModel(codec) else { return nil }
        self.limit = limit
        self.model = model
        intraFactor = model.intraFactor
        followsByFloor = !hasTemporalLayers
    }

    /// Returns the smallest quantizer index that the frame may have; `nil` for any.
    func floor(for frame: Frame) -> Int? {
        var floor = 0
        let bytesPerSecond = Double(frame.bitrate.bitsPerSecond) / 8
        if frame.isIntra {
            let seconds = max(limit.seconds, Self.minimumIntraShare * frame.duration.seconds)
            let bytes = min(bytesPerSecond * seconds, frame.byteLimit.map(Double.init) ?? .infinity)
            floor = model.intraIndex(for: bytes, factor: intraFactor, pixelCount: frame.pixelCount)
        } else if let last {
            let share = bytesPerSecond * frame.duration.seconds
            if followsByFloor, isFarLower(frame.bitrate) {
                let index = model.steadyIndex(for: share, after: last.byteCount, at: last.quantizer)
                floor = max(index, last.quantizer - Self.fall)
            }
            if let limit = frame.byteLimit {
                floor = max(floor, model.nextIndex(for: Double(limit), after: last.byteCount, at: last.quantizer))
            }
            if var sinking {
                sinking.sink()
                floor = max(floor, sinking.floor)
            }
        }
        return floor > 0 ? floor : nil
    }

    private func isFarLower(_ bitrate: Bitrate) -> Bool {
        Double(bitrate.bitsPerSecond) < Self.farLower * steadyBitrate
    }

    /// Records how the frame was encoded.
    mutating func add(_ frame: Frame, byteCount: Int, quantizer: Int) {
        let bitrate = Double(frame.bitrate.bitsPerSecond)
        steadyBitrate = max(bitrate, steadyBitrate - (steadyBitrate - bitrate) / 4)
        if frame.isIntra || frame.byteLimit != nil {
            let usual = sinking?.usual ?? last?.quantizer ?? quantizer
            sinking = quantizer > usual ? Sinking(usual: usual, floor: quantizer) : nil
        } else {
            sinking?.sink()
            if sinking?.framesLeft == 0 { sinking = nil }
        }
        if frame.isIntra {
            learn(byteCount, at: quantizer, frame.pixelCount)
        } else {
            last = (byteCount, quantizer)
        }
    }

    /// Learns the bytes of a picture without reference.
    private mutating func learn(_ byteCount: Int, at quantizer: Int, _ pixelCount: Int) {
        let measured = model.intraFactor(of: byteCount, at: quantizer, pixelCount: pixelCount) / model.intraFactor
        let bounded = min(max(measured, Self.intraRange.lowerBound), Self.intraRange.upperBound) * model.intraFactor
        // Too coarse costs the quality of a frame or two, too fine costs a full queue: what takes less is believed
        // slowly.
        intraFactor += (bounded - intraFactor) * (bounded > intraFactor ? 0.8 : 0.2)
    }
}

/// Finds the first picture of another scene, before it is encoded.
///
/// Pictures are compared in a grid of luma samples. The scene has changed where they differ much in the mean, and much
/// more than the pictures before them did. Motion differs as long as it lasts, so that only its start can be taken for
/// a cut.
///
/// A pure value. Cost: 2304 samples of a picture, of any size; no allocation after the first.
struct SceneCutDetector: Sendable {
    private static let columns = 64
    private static let rows = 36
    /// The mean difference of a cut, in steps of 255.
    private static let minimumDifference = 5.0
    /// How many times the usual difference a cut has.
    private static let minimumRatio = 3.0

    private var samples: [UInt8] = []
    /// The usual difference between pictures; `nil` before the second.
    private var usual: Double?

    /// Returns whether the picture is of another scene than the one before it; `false` for the first two.
    mutating func add(_ frame: VideoFrame) -> Bool {
        let (width, height) = (frame.layout[plane: 0].width, frame.layout[plane: 0].height)
        guard !samples.isEmpty else {
            samples = Array(repeating: 0, count: Self.columns * Self.rows)
            _ = replaceSamples(with: frame, width, height)
            return false
        }
        let difference = Double(replaceSamples(with: frame, width, height)) / Double(samples.count)
        guard let usual else {
            self.usual = difference
            return false
        }
        self.usual = usual + (difference - usual) / 8
        return difference > Self.minimumDifference && difference > Self.minimumRatio * usual
    }

    /// Returns the sum of the absolute differences from the samples before.
    private mutating func replaceSamples(with frame: VideoFrame, _ width: Int, _ height: Int) -> Int {
        var sum = 0
        for row in 0..<Self.rows {
            let line = frame[plane: 0].row((2 * row + 1) * height / (2 * Self.rows))
            for column in 0..<Self.columns {
                let sample = line[(2 * column + 1) * width / (2 * Self.columns)]
                let index = row * Self.columns + column
                sum += abs(Int(sample) - Int(samples[index]))
                samples[index] = sample
            }
        }
        return sum
    }
}
