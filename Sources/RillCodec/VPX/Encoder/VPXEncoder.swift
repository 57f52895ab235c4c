internal import CVPX
public import RillCore

/// A VP8 or VP9 encoder over libvpx for one layer.
///
///     let encoder = try VPXEncoder(
///         EncoderSettings(.vp9), layer: StreamLayer(rid: .high), resolution: .vga, frameRate: 30,
///         bitrate: .kilobits(600))
///     try encoder.encode(picture) { frame, bytes in … }
///
/// Deterministic: the speed is fixed, no clock is read, so the same frames, stamps and requests give the same bytes.
/// One owner, one thread at a time. Cost besides libvpx: nothing per pixel, no allocation per frame.
public final class VPXEncoder: VideoEncoder {
    /// The layer that this encoder's frames belong to.
    public let layer: StreamLayer
    /// Size of the pictures that it takes.
    public private(set) var resolution: Resolution
    /// How libvpx works.
    public private(set) var settings: EncoderSettings
    /// What it has done so far.
    public private(set) var statistics = EncoderStatistics()
    /// The quantizer index of the last frame coded.
    private var lastQuantizer: Int?

    var context: VPXEncoderContext
    private var image: VPXInputImage
    private var bitrate: Bitrate
    private var frameRate: FrameRate
    private var timeline: RateControlTimeline
    /// The picture whose frame came out last.
    private var newest: HeldPicture?
    /// What the stream is taken for.
    private var matrix = ColorSpace.Matrix.bt601
    /// What is known of the pictures that libvpx holds back, in their order; one at the most in real time.
    private var held: [HeldPicture] = []
    private let statisticsOfFirstPass: FirstPassBuffer?
    var nextNumber: Int64 = 0
    /// Frames since the last key frame, which stands at 0.
    var patternPosition = 0

    /// An encoder for pictures of one size.
    ///
    /// - Parameters:
    ///   - frameRate: the rate that frames are expected at; the stamps say what it really is.
    ///   - bitrate: the rate control's first target, at least 1 kbit/s.
    ///   - firstPass: what a ``VPXFirstPass`` of the same settings, frames and stamps found; it makes this the second of
    ///     two. Only for ``RillCore/EncoderSettings/Effort/good``.
    public init(
        _ settings: EncoderSettings = EncoderSettings(), layer: StreamLayer, resolution: Resolution,
        frameRate: FrameRate, bitrate: Bitrate, firstPass: FirstPassStatistics? = nil
    ) throws(CodecError) {
        precondition(firstPass == nil || settings.effort == .good, "two passes are made with .good alone")
        let statistics = firstPass.map(FirstPassBuffer.init)
        self.statisticsOfFirstPass = statistics
        self.layer = layer
        self.resolution = resolution
        self.settings = settings
        self.bitrate = bitrate
        self.frameRate = frameRate
        self.timeline = settings.timeline(at: frameRate)
        self.context = try Self.makeContext(settings, resolution, bitrate, statistics)
        self.image = VPXInputImage(resolution)
    }

    /// Encodes one I420 picture, and calls `body` with the coded frame before this returns; not at all when the rate
    /// control left the picture out.
    ///
    /// An encoder that looks ahead (``RillCore/EncoderSettings/Effort/good``) holds pictures back: `body` is called with those
    /// that became ready, none or several, hidden ones too, and ``finish(_:)`` gives the rest.
    ///
    /// The bytes lie in libvpx's memory and hold until `body` returns. Capture times may lie as unevenly as they like: the
    /// bitrate is kept all the same. They have to rise; one that does not counts as no time passed.
    ///
    /// - Returns: what became of the picture; `coded` where any frame came out.
    /// - Throws: ``CodecError``, or what `body` throws.
    @discardableResult
    public func encode(
        _ frame: VideoFrame, isKeyFrame: Bool = false, _ body: (EncodedFrame, Span<UInt8>) throws -> Void
    ) throws -> EncoderOutcome {
        guard frame.format == .i420 else { throw CodecError.unsupportedFormat(frame.format) }
        guard frame.colorSpace.range == .limited else { throw CodecError.unsupportedRange(frame.colorSpace.range) }
        guard frame.resolution == resolution else {
            throw CodecError.wrongResolution(expected: resolution, actual: frame.resolution)
        }
        let span = timeline.span(at: frame.captureTime)
        // A stream says its matrix in its key frames.
        let isKeyFrame = try tellMatrix(of: frame) || isKeyFrame
        if isKeyFrame { patternPosition = 0 }
        let flags = try beginStep(isKeyFrame: isKeyFrame)
        held.append(HeldPicture(frame, ticks: span.start))
        try unsafe context.encode(image.pointing(at: frame), over: span, flags: flags.rawValue, settings.effort)
        let hasFrame = try takePackets(body)
        if settings.effort == .realtime {
            // Nothing is held back: what did not come out was left out.
            if !hasFrame { statistics.framesDropped += 1 }
            held.removeAll(keepingCapacity: true)
        }
        if hasFrame { return .coded(quantizer: lastQuantizer) }
        return settings.effort == .good ? .held : .dropped
    }

    /// Gives the frames that are still held back, when no picture will follow. The encoder is done then.
    public func finish(_ body: (EncodedFrame, Span<UInt8>) throws -> Void) throws {
        guard settings.effort == .good, !timeline.isEmpty else { return }
        repeat { try context.flush(after: timeline) } while try takePackets(body)
    }

    /// Has VP9's headers say the matrix of the pictures from this one on, where it is not what they say; VP8's cannot. BT.601
    /// is what a stream that says nothing is taken for, so nothing is said of it unless it comes after another.
    ///
    /// - Returns: whether it changed.
    private func tellMatrix(of frame: VideoFrame) throws(CodecError) -> Bool {
        guard frame.colorSpace.matrix != matrix else { return false }
        matrix = frame.colorSpace.matrix
        guard settings.vpx == .vp9 else { return false }
        let space = matrix == .bt709 ? VPX_CS_BT_709 : VPX_CS_BT_601
        try context.control(VP9E_SET_COLOR_SPACE, to: Int(space.rawValue))
        return true
    }

    /// Hands all packets on that are ready. `false`: there was none.
    private func takePackets(_ body: (EncodedFrame, Span<UInt8>) throws -> Void) throws -> Bool {
        var iterator: vpx_codec_iter_t?
        var count = 0
        while let packet = unsafe context.nextPacket(VPX_CODEC_CX_FRAME_PKT, after: &iterator) {
            try unsafe take(packet, body)
            count += 1
        }
        return count > 0
    }

    @unsafe
    private func take(
        _ packet: UnsafePointer<vpx_codec_cx_pkt_t>, _ body: (EncodedFrame, Span<UInt8>) throws -> Void
    ) throws {
        let flags = unsafe CVPX_packet_flags(packet)
        let isKey = flags & 1 != 0  // VPX_FRAME_IS_KEY
        let isDiscardable = flags & 2 != 0  // VPX_FRAME_IS_DROPPABLE
        let isHidden = flags & 4 != 0  // VPX_FRAME_IS_INVISIBLE
        let byteCount = unsafe CVPX_packet_size(packet)
        try count(isKey: isKey, isHidden: isHidden, byteCount: byteCount)
        let picture = unsafe picture(at: CVPX_packet_pts(packet), isHidden: isHidden)
        var coded = describe(picture, isKey: isKey, isDiscardable: isDiscardable, byteCount: byteCount)
        coded.isHidden = isHidden
        // libvpx's memory, which holds the frame until the next call; `body` sees it only now.
        let payload = unsafe Span<UInt8>(
            _unsafeStart: CVPX_packet_data(packet).assumingMemoryBound(to: UInt8.self), count: byteCount)
        try body(coded, payload)
    }

    /// What is known of the picture whose frame comes out at `ticks`. A hidden frame has none: it follows the one before it.
    private func picture(at ticks: Int64, isHidden: Bool) -> HeldPicture {
        // libvpx rounds stamps by a tick. What lies before was left out.
        if !isHidden, let place = held.firstIndex(where: { $0.ticks >= ticks - 1 }) {
            held.removeFirst(place)
            newest = held.removeFirst()
        }
        guard let newest = newest ?? held.first else { return HeldPicture(ticks: ticks, captureTime: .zero) }
        guard isHidden else { return newest }
        let distance = MediaTime(ticks: ticks - newest.ticks, rate: RateControlTimeline.clockRate) - MediaTime.zero
        return HeldPicture(ticks: ticks, captureTime: newest.captureTime + distance)
    }

    private func count(isKey: Bool, isHidden: Bool, byteCount: Int) throws(CodecError) {
        let quantizer = try context.control(reading: VP8E_GET_LAST_QUANTIZER)
        lastQuantizer = quantizer
        statistics.framesEncoded += isHidden ? 0 : 1
        statistics.hiddenFramesEncoded += isHidden ? 1 : 0
        statistics.keyFramesEncoded += isKey ? 1 : 0
        statistics.bytesEncoded += byteCount
        statistics.qpSum += quantizer
    }
}

// MARK: - Changes at run time

extension VPXEncoder {
    /// Changes what the encoder does from the next frame on; the same again costs nothing.
    ///
    /// Bitrate, frame rate, content, speed, denoising and the limits of the rate control change without a trace in the
    /// stream. A new size, thread count or temporal pattern needs a new libvpx encoder, which begins with a key frame and
    /// an empty rate control; frame numbers go on. The codec stays, and so does the effort: another one is the programmer's
    /// mistake. An encoder of two passes takes no change at all.
    ///
    /// - Throws: ``CodecError``; the encoder then goes on as it was.
    public func change(
        to settings: EncoderSettings, resolution: Resolution, frameRate: FrameRate, bitrate: Bitrate
    ) throws(CodecError) {
        precondition(settings.codec == self.settings.codec, "an encoder of \(self.settings.codec) stays one")
        precondition(settings.effort == self.settings.effort, "the effort stays \(self.settings.effort)")
        precondition(statisticsOfFirstPass == nil, "the second of two passes takes no change")
        if resolution != self.resolution || settings.needsNewEncoder(after: self.settings) {
            try restart(settings, resolution, bitrate)
        } else if settings != self.settings || bitrate != self.bitrate {
            try reconfigure(settings, bitrate)
        }
        self.frameRate = frameRate
        timeline.announce(frameRate)
    }

    /// Sets the rate control's target from the next frame on; the same target again costs nothing.
    public func setBitrate(_ bitrate: Bitrate) throws(CodecError) {
        guard bitrate != self.bitrate else { return }
        try reconfigure(settings, bitrate)
    }

    /// Starts libvpx anew, with a key frame and an empty rate control: for a codec that is suspected of a fault.
    public func restart() throws(CodecError) {
        try restart(settings, resolution, bitrate)
    }

    private func restart(_ settings: EncoderSettings, _ resolution: Resolution, _ bitrate: Bitrate) throws(CodecError) {
        context = try Self.makeContext(settings, resolution, bitrate, nil)
        matrix = .bt601
        held.removeAll(keepingCapacity: true)
        if resolution != self.resolution { image = VPXInputImage(resolution) }
        (self.settings, self.resolution, self.bitrate) = (settings, resolution, bitrate)
        (newest, patternPosition) = (nil, 0)
        timeline = settings.timeline(at: frameRate)
    }

    private func reconfigure(_ settings: EncoderSettings, _ bitrate: Bitrate) throws(CodecError) {
        try settings.validate(with: bitrate)
        try unsafe context.configure(settings.configuration(for: resolution, bitrate))
        if settings != self.settings { try settings.applyChangeableControls(to: context, resolution) }
        (self.settings, self.bitrate) = (settings, bitrate)
    }

    private static func makeContext(
        _ settings: EncoderSettings, _ resolution: Resolution, _ bitrate: Bitrate, _ statistics: FirstPassBuffer?
    ) throws(CodecError) -> VPXEncoderContext {
        try settings.validate(with: bitrate)
        let pass = unsafe statistics.map { unsafe EncoderSettings.Pass.last($0.bytes) } ?? .only
        let context = try unsafe VPXEncoderContext(
            settings.vpx, settings.configuration(for: resolution, bitrate, pass: pass))
        try settings.applyControls(to: context, resolution)
        return context
    }
}

extension EncoderSettings {
    /// The timeline of frames that are announced to have that rate.
    func timeline(at frameRate: FrameRate) -> RateControlTimeline {
        RateControlTimeline(frameRate: frameRate, mostOwed: bufferSize)
    }

    /// Whether libvpx takes the change from `old` to these only by being started anew.
    fileprivate func needsNewEncoder(after old: EncoderSettings) -> Bool {
        threadCount != old.threadCount || temporalPattern != old.temporalPattern
    }
}
