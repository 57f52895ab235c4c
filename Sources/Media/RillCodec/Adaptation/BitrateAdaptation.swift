import Glibc
package import RillCore
import RillRTP

/// Fits a layer's size and frame rate to the bitrate that a network leaves it: at once when the bitrate falls, slowly
/// when it rises.
///
/// ```swift
/// var adaptation = BitrateAdaptation(AdaptationSettings(), codec: .vp8, resolution: .hd720, frameRate: 30)
/// if let degradation = adaptation.fit(bitrate, at: now) { plan.degrade(layer: 0, degradation) }
/// adaptation.add(byteCount: frame.byteCount, quantizer: qp, of: frame.resolution, at: now)
/// ```
///
/// The reductions of a layer form a ladder (``AdaptationSettings/preference``). Each needs a bitrate: the one at which
/// its quantizer would be at the upper bound of ``AdaptationSettings/vp8Quantizer``. There the next smaller picture,
/// enlarged again, has the same PSNR: 1280x720 and 960x540 cross at 370 kbit/s and a quantizer of 88, and below 960x540
/// the larger picture is better for as long as it fits at all (VP8 in real time, webcam_1280x720.y4m). What pictures
/// need differs by clip, so it is measured from the frames.
///
/// - Down: when the bitrate is below the need for ``shortageTimeout``, or far below for ``deepShortageTimeout``, to the
///   largest size that fits.
/// - Up: when the bitrate is 1.5 times the need of a larger one for ``AdaptationSettings/bitrateRecoveryDelay``. So a
///   total that ripples by 10 % changes nothing, though a layer's share ripples by up to 20 %, as the layers below it
///   keep theirs. If a step up had to be reverted soon, the next one waits twice as long.
///
/// A pure value: it reads no clock, and allocates nothing after its creation.
package struct BitrateAdaptation: Sendable {
    private struct Rung: Sendable {
        var degradation: Degradation
        /// The bitrate that it needs, in bits per second, with a ``content`` of 1.
        var need: Double
    }

    /// How long the bitrate may be below the need.
    static let shortageTimeout = MediaDuration.milliseconds(700)
    /// The same for a bitrate below ``deepShare`` of the need.
    static let deepShortageTimeout = MediaDuration.milliseconds(300)
    private static let deepShare = 0.7
    /// The headroom of a step down, and of a step up.
    private static let margins = (down: 1.1, up: 1.5)
    /// After a step up, this many recovery delays make it a lasting one.
    private static let lasting = 3
    private static let maximumDelay = MediaDuration.seconds(60)
    /// How far a clip's content may be from the typical one.
    private static let contentRange = 0.4...8.0

    private let rungs: [Rung]
    private let model: QuantizerModel?
    private let typicalContent: Double
    private let quantizerLimit: Double
    private let recoveryDelay: MediaDuration
    /// The complexity of the clip: bits per second at the quantizer limit, of one pixel at one frame per second, by
    /// the powers of the model.
    private var content: Double

    private var place = 0
    private var now = MediaTime(nanoseconds: .min)
    private var shortSince: MediaTime?
    private var ampleSince: MediaTime?
    private var lastChange: MediaTime?
    private var lastStepUp: MediaTime?
    private var delay: MediaDuration
    private var lastFrame: MediaTime?

    /// Creates the adaptation of a layer without reduction.
    ///
    /// - Parameters:
    ///   - settings: the preference, the smallest size and rate, the quantizers and the recovery delay.
    ///   - codec: the layer's codec.
    ///   - resolution: the layer's size without reduction.
    ///   - frameRate: the layer's frame rate without reduction.
    ///   - minimumPixelCount: the size below which the layer is not worth sending, because another one has that size.
    ///     The layer's own size is always allowed.
    package init(
        _ settings: AdaptationSettings, codec: VideoCodec, resolution: Resolution, frameRate: FrameRate,
        minimumPixelCount: Int = 0
    ) {
        model = QuantizerModel(codec)
        // 1.1 times what the measured clip takes: it was enlarged, and has less detail than a camera's pictures.
        typicalContent = codec == .vp9 ? 4.1 : 5.5
        content = typicalContent
        quantizerLimit = settings.quantizer(of: codec)?.upperBound ?? 0
        recoveryDelay = settings.bitrateRecoveryDelay
        delay = recoveryDelay
        func rung(_ degradation: Degradation) -> Rung {
            let pixels = Double(degradation.applied(to: resolution).pixelCount)
            let rate = degradation.applied(to: frameRate).framesPerSecond
            return Rung(
                degradation: degradation,
                need: pow(pixels, QuantizerModel.pixelPower) * pow(rate, QuantizerModel.frameRatePower))
        }
        var rungs = [rung(.none)]
        while let next = settings.next(after: rungs[rungs.count - 1].degradation, of: resolution, at: frameRate),
            next.applied(to: resolution).pixelCount >= minimumPixelCount
        { rungs.append(rung(next)) }
        self.rungs = rungs
    }

    /// The current reduction.
    package var degradation: Degradation { rungs[place].degradation }

    /// The bitrate below which the layer is not worth sending: what its smallest size needs with typical content.
    package var minimumBitrate: Bitrate {
        Bitrate(bitsPerSecond: max(1, Int(rungs[rungs.count - 1].need * typicalContent)))
    }

    /// Returns the bitrate that a reduction needs with the present content, in bits per second.
    private func need(_ place: Int) -> Double { rungs[place].need * content }

    // MARK: - Measuring

    /// Records an encoded delta frame. Key frames do not predict the frames between them.
    ///
    /// - Parameters:
    ///   - byteCount: the frame's bytes.
    ///   - quantizer: its quantizer index, on the codec's own scale; `nil` if that is unknown.
    ///   - resolution: its size.
    ///   - time: its capture time.
    package mutating func add(byteCount: Int, quantizer: Int?, of resolution: Resolution, at time: MediaTime) {
        defer { lastFrame = time }
        guard let model, let quantizer, let lastFrame, time > lastFrame else { return }
        let interval = min(max((time - lastFrame).seconds, 0.005), 1)
        let bitrate = Double(byteCount * 8) / interval * model.ratio(from: quantizer, to: quantizerLimit)
        let load =
            pow(Double(resolution.pixelCount), QuantizerModel.pixelPower)
            * pow(1 / interval, QuantizerModel.frameRatePower)
        // A new scene's first frame must not count for more than its time.
        let sample = min(bitrate / load, 3 * content)
        content += (sample - content) * min(interval, 0.3)
        let range = Self.contentRange
        content = min(max(content, range.lowerBound * typicalContent), range.upperBound * typicalContent)
    }

    // MARK: - Deciding

    /// Fits the layer to a bitrate. Call it for each frame.
    ///
    /// - Parameters:
    ///   - bitrate: what the layer may have now.
    ///   - time: the time of the frame. One that does not increase counts as no elapsed time.
    /// - Returns: the reduction from now on, or `nil` if it stays as it is.
    package mutating func fit(_ bitrate: Bitrate, at time: MediaTime) -> Degradation? {
        now = max(now, time)
        let bits = Double(bitrate.bitsPerSecond)
        if place + 1 < rungs.count, bits < need(place) {
            ampleSince = nil
            let since = shortSince ?? now
            shortSince = since
            let shortageTimeout = bits < Self.deepShare * need(place) ? Self.deepShortageTimeout : Self.shortageTimeout
            guard now - max(since, lastChange ?? since) >= shortageTimeout else { return nil }
            return stepDown(for: bits)
        }
        shortSince = nil
        guard let larger = (0..<place).first(where: { need($0) * Self.margins.up <= bits }) else {
            ampleSince = nil
            return nil
        }
        let since = ampleSince ?? now
        ampleSince = since
        guard now - since >= delay else { return nil }
        lastStepUp = now
        return step(to: larger)
    }

    private mutating func stepDown(for bits: Double) -> Degradation {
        if let lastStepUp, now - lastStepUp < delay * Self.lasting {
            delay = min(delay + delay, Self.maximumDelay)
        } else {
            delay = recoveryDelay
        }
        lastStepUp = nil
        let smaller = (place + 1..<rungs.count).first { need($0) * Self.margins.down <= bits }
        return step(to: smaller ?? rungs.count - 1)
    }

    private mutating func step(to place: Int) -> Degradation {
        (self.place, shortSince, ampleSince, lastChange) = (place, nil, nil, now)
        return degradation
    }
}
