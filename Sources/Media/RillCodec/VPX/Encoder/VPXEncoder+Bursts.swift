internal import CVPX
import RillCore
import RillRTP

/// The state with which an encoder limits single frames.
struct BurstControl {
    private var limiter: BurstLimiter
    private var cuts = SceneCutDetector()
    /// The frame that is being encoded.
    private var current: BurstLimiter.Frame?
    /// The limit of the next frame's bytes.
    var byteLimit: Int?
    /// The smallest quantizer setting that libvpx has now.
    fileprivate var floor: Int
    /// The highest bitrate at which libvpx may have saved bits.
    private var creditBitrate: Bitrate?
    /// A bitrate below this share of the previous one makes the saved bits too many.
    private static let creditShare = 0.8

    /// `nil` if nothing is to be limited, or if the codec's quantizers are unknown.
    init?(_ settings: EncoderSettings) {
        let hasLayers = settings.temporalPattern != .l1t1
        guard let limit = settings.burstLimit,
            let limiter = BurstLimiter(settings.codec, hasTemporalLayers: hasLayers, limit: limit)
        else { return nil }
        self.limiter = limiter
        floor = settings.quantizers.lowerBound
    }

    /// Returns the smallest quantizer setting for the next frame.
    fileprivate mutating func floor(
        for frame: VideoFrame, isKeyFrame: Bool, _ settings: EncoderSettings, _ bitrate: Bitrate,
        _ duration: MediaDuration
    ) -> Int {
        let isCut = cuts.add(frame)
        let next = BurstLimiter.Frame(
            isIntra: isKeyFrame || isCut, pixelCount: frame.resolution.pixelCount, bitrate: bitrate, duration: duration,
            byteLimit: byteLimit.take())
        current = next
        let index = limiter.floor(for: next) ?? 0
        let setting = QuantizerModel.setting(atLeast: index, of: settings.codec)
        return min(max(setting, settings.quantizers.lowerBound), settings.quantizers.upperBound)
    }

    /// Records how the frame was encoded.
    mutating func add(isKey: Bool, byteCount: Int, quantizer: Int) {
        guard var frame = current.take() else { return }
        frame.isIntra = frame.isIntra || isKey
        limiter.add(frame, byteCount: byteCount, quantizer: quantizer)
    }

    /// Returns whether a bitrate is so much lower than those before that libvpx should forget what it saved. A bitrate
    /// that only ripples takes nothing away: a buffer that never fills keeps VP8 from finer quantizers for good.
    mutating func losesCredit(from old: Bitrate, to new: Bitrate) -> Bool {
        let before = max(creditBitrate ?? old, old)
        let isFarLower = Double(new.bitsPerSecond) < Self.creditShare * Double(before.bitsPerSecond)
        creditBitrate = isFarLower ? new : max(before, new)
        return isFarLower
    }

    fileprivate mutating func change(_ limit: MediaDuration, _ settings: EncoderSettings) {
        limiter.limit = limit
        floor = settings.quantizers.lowerBound
    }
}

extension BurstControl? {
    /// Follows new settings, which libvpx has by now. What is known of the clip is kept.
    mutating func update(_ settings: EncoderSettings) {
        guard let limit = settings.burstLimit, self != nil else {
            self = BurstControl(settings)
            return
        }
        self?.change(limit, settings)
    }
}

extension VPXEncoder {
    /// Limits the size of the next frame; see ``/RillCore/VideoEncoder/limitNextFrame(to:)``. Needs a
    /// ``/RillCore/EncoderSettings/burstLimit``, without which it does nothing.
    ///
    /// - Parameter byteCount: the most bytes that the frame should have.
    public func limitNextFrame(to byteCount: Int) { bursts?.byteLimit = byteCount }

    /// Gives libvpx the smallest quantizer for the next frame.
    func limitBurst(
        of frame: VideoFrame, isKeyFrame: Bool, over span: RateControlTimeline.Span
    ) throws(CodecError) {
        let duration = MediaTime(ticks: span.duration, rate: RateControlTimeline.clockRate) - MediaTime.zero
        guard let floor = bursts?.floor(for: frame, isKeyFrame: isKeyFrame, settings, bitrate, duration),
            floor != bursts?.floor
        else { return }
        var floored = settings
        floored.quantizers = floor...settings.quantizers.upperBound
        try unsafe context.configure(floored.configuration(for: resolution, bitrate))
        if settings.vpx == .vp9, settings.temporalPattern != .l1t1 {
            try context.setLayers(floored.layerParameters(for: resolution))
        }
        bursts?.floor = floor
    }

    /// Makes VP8 forget what it saved at a higher bitrate. Its buffer counts bits, so that half a second of 2.5 Mbit/s
    /// would be three seconds of 400 kbit/s; frames 5 to 15 after the change would have two to four times their share.
    ///
    /// libvpx limits the level of its buffer to the buffer's size whenever it is configured.
    func dropCredit(_ settings: EncoderSettings, _ bitrate: Bitrate) throws(CodecError) {
        guard settings.vpx == .vp8 else { return }
        var drained = settings
        drained.bufferSize = min(settings.bufferSize, settings.optimalBufferLevel)
        try unsafe context.configure(drained.configuration(for: resolution, bitrate))
    }
}
