public import RillCore
public import RillRTP

/// Watches one layer's encoder, and decides when its pictures should become smaller or fewer, and when larger or more
/// again.
///
/// ```swift
/// var controller = AdaptationController(resolution: .hd720, frameRate: 30)
/// if let step = controller.add(.encoded(in: time, quantizer: qp), at: now) {
///     layer.apply(step.degradation)
/// }
/// ```
///
/// It steps down for three reasons: the encoder needs most of the frame interval, the pictures are too coarse for
/// their size at the available bitrate, or frames are dropped. It steps up the same way back when none of these has
/// been close for a while. If a step up had to be reverted, the next one waits twice as long.
///
/// It measures nothing and reads no clock: costs and times are passed in, so the same frames produce the same steps.
public struct AdaptationController: Sendable {
    /// The outcome of a frame that the layer should have encoded.
    public enum Frame: Sendable, Equatable {
        /// It was encoded in that time. The quantizer index is the codec's, or `nil` if it reports none.
        case encoded(in: MediaDuration, quantizer: Int?)
        /// A newer frame replaced it, or the rate control dropped it.
        case dropped
    }

    /// The reason for a step.
    public enum Reason: String, Sendable, Equatable {
        /// Encoding takes too much of the frame interval.
        case encodeTime
        /// The pictures are too coarse for their size.
        case quantizer
        /// Too many frames are dropped.
        case drops
        /// There is headroom again.
        case recovered
    }

    /// A change of the layer's size or rate.
    public struct Step: Sendable, Equatable {
        /// The degradation from now on.
        public var degradation: Degradation
        /// The reason.
        public var reason: Reason

        /// Creates a step.
        public init(degradation: Degradation, reason: Reason) {
            self.degradation = degradation
            self.reason = reason
        }
    }

    /// The thresholds and limits of the decisions.
    public let settings: AdaptationSettings
    private let codec: VideoCodec
    private let resolution: Resolution
    private let frameRate: FrameRate

    /// The degradations that led to the current one, which is the last. Steps up go back along this path.
    private var path: [Degradation] = []
    private var window = Window()
    private var goodSince: MediaTime?
    private var recoveryDelay: MediaDuration
    private var lastStepUp: MediaTime?

    /// The observations since the last decision.
    private struct Window {
        var start: MediaTime?
        var encodeTime = MediaDuration.zero
        var encoded = 0
        var dropped = 0
        var quantizerSum = 0
        var quantizerCount = 0
    }

    /// Creates a controller for a layer.
    ///
    /// - Parameters:
    ///   - settings: thresholds and limits.
    ///   - codec: the layer's codec, which determines the scale of the quantizers.
    ///   - resolution: the layer's size without degradation.
    ///   - frameRate: the layer's frame rate without degradation.
    public init(
        _ settings: AdaptationSettings = AdaptationSettings(), codec: VideoCodec = .vp8, resolution: Resolution,
        frameRate: FrameRate
    ) {
        self.settings = settings
        self.codec = codec
        self.resolution = resolution
        self.frameRate = frameRate
        recoveryDelay = settings.recoveryDelay
    }

    /// The current degradation.
    public var degradation: Degradation { path.last ?? .none }

    /// Records a frame, and returns a step when one is due.
    ///
    /// - Parameters:
    ///   - frame: the outcome of the frame.
    ///   - now: the current time.
    /// - Returns: the step to take, or `nil`.
    public mutating func add(_ frame: Frame, at now: MediaTime) -> Step? {
        let start = window.start ?? now
        window.start = start
        switch frame {
        case .encoded(let time, let quantizer):
            window.encoded += 1
            window.encodeTime = window.encodeTime + time
            if let quantizer {
                window.quantizerSum += quantizer
                window.quantizerCount += 1
            }
        case .dropped: window.dropped += 1
        }
        guard now - start >= settings.window else { return nil }
        let seen = window
        window = Window()
        if let reason = trouble(seen) {
            goodSince = nil
            return stepDown(reason, at: now)
        }
        guard !path.isEmpty, hasRoom(seen) else {
            goodSince = nil
            return nil
        }
        let since = goodSince ?? start
        goodSince = since
        guard now - since >= recoveryDelay else { return nil }
        goodSince = nil
        lastStepUp = now
        path.removeLast()
        return Step(degradation: degradation, reason: .recovered)
    }

    // MARK: - Judging

    private func usage(_ seen: Window) -> Double {
        guard seen.encoded > 0 else { return 0 }
        let interval = degradation.applied(to: frameRate).interval
        return seen.encodeTime.seconds / (Double(seen.encoded) * interval.seconds)
    }

    private func quantizer(_ seen: Window) -> Double? {
        seen.quantizerCount == 0 ? nil : Double(seen.quantizerSum) / Double(seen.quantizerCount)
    }

    private func trouble(_ seen: Window) -> Reason? {
        if usage(seen) > settings.usage.upperBound { return .encodeTime }
        if Double(seen.dropped) > settings.dropShare * Double(seen.dropped + seen.encoded) { return .drops }
        if let quantizer = quantizer(seen), let range = settings.quantizer(of: codec), quantizer > range.upperBound {
            return .quantizer
        }
        return nil
    }

    /// Whether the layer could carry the degradation before the current one.
    private func hasRoom(_ seen: Window) -> Bool {
        let previous = path.count > 1 ? path[path.count - 2] : .none
        let expected = usage(seen) * previous.load / degradation.load
        guard usage(seen) < settings.usage.lowerBound || expected < settings.usage.upperBound * 0.9 else {
            return false
        }
        guard seen.dropped == 0 else { return false }
        guard let quantizer = quantizer(seen), let range = settings.quantizer(of: codec) else { return true }
        return quantizer < range.lowerBound
    }

    // MARK: - Stepping

    private mutating func stepDown(_ reason: Reason, at now: MediaTime) -> Step? {
        guard let next = settings.next(after: degradation, of: resolution, at: frameRate) else { return nil }
        // The last step up was reverted: the next one waits longer. If it lasted, the delay is reset.
        if let last = lastStepUp, now - last < recoveryDelay {
            recoveryDelay = min(settings.maximumRecoveryDelay, recoveryDelay + recoveryDelay)
        } else {
            recoveryDelay = settings.recoveryDelay
        }
        lastStepUp = nil
        path.append(next)
        return Step(degradation: next, reason: reason)
    }
}
