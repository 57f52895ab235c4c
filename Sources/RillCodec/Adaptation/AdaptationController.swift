public import RillCore

/// Watches one layer's encoder and says when its pictures should become smaller or fewer, and when they may grow again.
///
///     var controller = AdaptationController(resolution: .hd720, frameRate: 30)
///     if let step = controller.add(.encoded(in: time, quantizer: qp), at: now) {
///         layer.apply(step.degradation)
///     }
///
/// Three things make it step down: an encoder that needs most of the frame interval, pictures too coarse for their size
/// at the bitrate there is, and frames that are dropped. It steps up the way it came when none of them has been near for
/// a while, and waits twice as long the next time that this proves wrong. It measures nothing and reads no clock: costs
/// and times are told to it, so the same frames give the same steps.
public struct AdaptationController: Sendable {
    /// What became of a frame that the layer wanted.
    public enum Frame: Sendable, Equatable {
        /// It was coded in that time; the quantizer index is that of the codec, or `nil` where it says none.
        case encoded(in: MediaDuration, quantizer: Int?)
        /// It gave way to a newer one, or the rate control left it out.
        case dropped
    }

    /// Why a step was taken.
    public enum Reason: String, Sendable, Equatable {
        /// The encoder needs too much of the frame interval.
        case encodeTime
        /// The pictures are too coarse for their size.
        case quantizer
        /// Too many frames are dropped.
        case drops
        /// There is room again.
        case recovered
    }

    /// A change of the layer.
    public struct Step: Sendable, Equatable {
        /// What is given up from now on.
        public var degradation: Degradation
        /// Why.
        public var reason: Reason

        /// A step to that degradation, for that reason.
        public init(degradation: Degradation, reason: Reason) {
            self.degradation = degradation
            self.reason = reason
        }
    }

    /// When it decides what.
    public let settings: AdaptationSettings
    private let codec: VideoCodec
    private let resolution: Resolution
    private let frameRate: FrameRate

    /// The degradations on the way to the present one, which is the last: the way back is the same.
    private var path: [Degradation] = []
    private var window = Window()
    private var goodSince: MediaTime?
    private var recoveryDelay: MediaDuration
    private var lastStepUp: MediaTime?

    /// What was seen since the last decision.
    private struct Window {
        var start: MediaTime?
        var encodeTime = MediaDuration.zero
        var encoded = 0
        var dropped = 0
        var quantizerSum = 0
        var quantizerCount = 0
    }

    /// A controller of a layer that is set to that size and rate.
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

    /// What is given up at present.
    public var degradation: Degradation { path.last ?? .none }

    /// Takes note of a frame; gives a step when one is due.
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

    /// Whether the step before the present one could be carried.
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
        guard let next = nextDown() else { return nil }
        // A step up that did not last: the next one waits longer. One that did has earned a fresh start.
        if let last = lastStepUp, now - last < recoveryDelay {
            recoveryDelay = min(settings.maximumRecoveryDelay, recoveryDelay + recoveryDelay)
        } else {
            recoveryDelay = settings.recoveryDelay
        }
        lastStepUp = nil
        path.append(next)
        return Step(degradation: next, reason: reason)
    }

    /// The next thing to give up; `nil` when nothing is left.
    private func nextDown() -> Degradation? {
        let size = degradation.applied(to: resolution)
        let smaller = degradation.smaller.applied(to: resolution)
        let canShrink = smaller.pixelCount >= settings.minimumResolution.pixelCount && smaller != size
        let slower = degradation.slower.applied(to: frameRate)
        let canSlow = slower.framesPerSecond >= settings.minimumFrameRate.framesPerSecond
        switch settings.preference {
        case .maintainFramerate: return canShrink ? degradation.smaller : nil
        case .maintainResolution: return canSlow ? degradation.slower : nil
        case .balanced:
            let isStillSmooth = slower.framesPerSecond >= Self.smoothRate(for: size)
            if canSlow, isStillSmooth || !canShrink { return degradation.slower }
            return canShrink ? degradation.smaller : nil
        }
    }

    /// The rate that pictures of a size should keep while they can still become smaller instead.
    private static func smoothRate(for resolution: Resolution) -> Double {
        switch resolution.pixelCount {
        case ...(320 * 240): 7
        case ...(480 * 360): 10
        case ...(640 * 480): 15
        default: .infinity
        }
    }
}
