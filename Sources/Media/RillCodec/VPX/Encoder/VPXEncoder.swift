internal import CVPX
public import RillCore
import RillRTP

/// A VP8 or VP9 encoder for one layer that uses libvpx.
///
/// ```swift
/// let encoder = try VPXEncoder(
///     EncoderSettings(.vp9), layer: StreamLayer(rid: .high), resolution: .vga, frameRate: 30,
///     bitrate: .kilobits(600))
/// try encoder.encode(picture) { frame, bytes in … }
/// ```
///
/// Deterministic: the speed is fixed and no clock is read, so the same frames, timestamps and requests produce the
/// same bytes. One owner, one thread at a time. Cost besides libvpx: nothing per pixel, and no allocation per frame.
public final class VPXEncoder: VideoEncoder {
    /// The layer of this encoder's frames.
    public let layer: StreamLayer
    /// The size of the pictures that it accepts.
    public private(set) var resolution: Resolution
    /// The encoder's settings.
    public private(set) var settings: EncoderSettings
    /// Counts so far.
    public private(set) var statistics = EncoderStatistics()
    /// The quantizer index of the last frame coded.
    private var lastQuantizer: Int?

    /// The macroblocks of the last frame, row by row: 1 for those that libvpx was to code, 0 for those left out because
    /// they stood still (``/RillCore/EncoderSettings/skipsStillBlocks``). Empty if it was to code all.
    public var activeMap: [UInt8] { still?.activeMap ?? [] }

    var context: VPXContext
    private var image: VPXInputImage
    private(set) var bitrate: Bitrate
    private var frameRate: FrameRate
    private var timeline: RateControlTimeline
    /// The picture of the latest coded frame.
    private var newest: HeldPicture?
    /// The color matrix that the stream declares.
    private var matrix = ColorSpace.Matrix.bt601
    /// The properties of the pictures that libvpx holds back, in order; at most one in real time.
    private var held: [HeldPicture] = []
    private let statisticsOfFirstPass: FirstPassBuffer?
    /// The limiter of single frames; `nil` for none.
    var bursts: BurstControl?
    /// The detector of still blocks; `nil` for none.
    private var still: StillBlockControl?
    var nextNumber: Int64 = 0
    /// Frames since the last key frame, which is at 0.
    var patternPosition = 0

    /// Creates an encoder for pictures of one size.
    ///
    /// - Parameters:
    ///   - settings: the encoder's settings.
    ///   - layer: the layer of its frames.
    ///   - resolution: the size of the pictures.
    ///   - frameRate: the expected frame rate; timestamps determine the real one.
    ///   - bitrate: the initial target bitrate, at least 1 kbit/s.
    ///   - firstPass: the statistics of a ``VPXFirstPass`` with the same settings, frames and timestamps. They make
    ///     this the second of two passes. Only for ``RillCore/EncoderSettings/Effort/good``.
    /// - Throws: ``CodecError``.
    public init(
        _ settings: EncoderSettings = EncoderSettings(), layer: StreamLayer, resolution: Resolution,
        frameRate: FrameRate, bitrate: Bitrate, firstPass: FirstPassStatistics? = nil
    ) throws(CodecError) {
        precondition(firstPass == nil || settings.effort == .good, "two passes require the effort .good")
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
        self.bursts = BurstControl(settings)
        self.still = StillBlockControl.isPossible(settings) ? StillBlockControl(settings, resolution) : nil
    }

    /// Encodes one I420 picture.
    ///
    /// `body` is called with the coded frame before this returns, unless the rate control drops the picture.
    ///
    /// An encoder with lookahead (``RillCore/EncoderSettings/Effort/good``) holds pictures back. It calls `body` with
    /// the frames that became ready: none, one or several, hidden ones included. ``finish(_:)`` outputs the rest.
    ///
    /// - Parameters:
    ///   - frame: the picture. Capture times may be unevenly spaced: the target bitrate is kept. They must increase;
    ///     one that does not counts as no elapsed time.
    ///   - isKeyFrame: whether the picture must become a key frame.
    ///   - body: receives each coded frame and its bytes. They are in libvpx's memory and valid until it returns.
    /// - Returns: the outcome for the picture; `coded` if any frame was output.
    /// - Throws: ``CodecError``, or an error of `body`.
    @discardableResult
    public func encode(
        _ frame: VideoFrame, isKeyFrame: Bool = false, _ body: (EncodedFrame, Span<UInt8>) throws -> Void
    ) throws -> EncoderOutcome {
        let input = try unsafe image.pointing(at: frame)
        let span = timeline.span(at: frame.captureTime)
        // A stream declares its matrix in key frames.
        let isKeyFrame = try declareMatrix(of: frame) || isKeyFrame
        if isKeyFrame { patternPosition = 0 }
        var flags = try beginStep(isKeyFrame: isKeyFrame)
        try limitBurst(of: frame, isKeyFrame: isKeyFrame || newest == nil, over: span)
        try still?.mark(frame, isKeyFrame: isKeyFrame, for: context)
        if let still { flags.formUnion(still.flags) }
        held.append(HeldPicture(frame, ticks: span.start))
        try unsafe context.encode(input, over: span, flags: flags.rawValue, settings.effort)
        let hasFrame = try takePackets(body)
        if settings.effort == .realtime {
            // Nothing is held back: a picture without a frame was dropped.
            if !hasFrame { statistics.framesDropped += 1 }
            held.removeAll(keepingCapacity: true)
        }
        if hasFrame { return .coded(quantizer: lastQuantizer) }
        return settings.effort == .good ? .held : .dropped
    }

    /// Outputs the frames that are still held back. Called after the last picture; the encoder cannot be used
    /// afterwards.
    ///
    /// - Parameter body: receives each coded frame and its bytes, which are valid until it returns.
    public func finish(_ body: (EncodedFrame, Span<UInt8>) throws -> Void) throws {
        guard settings.effort == .good, !timeline.isEmpty else { return }
        repeat { try context.flush(after: timeline) } while try takePackets(body)
    }

    /// Updates the matrix in VP9's headers if it differs from the declared one; VP8 has no field for it. A stream
    /// without a declaration is taken for BT.601, so BT.601 is only declared after another matrix.
    ///
    /// - Returns: whether the declaration changed.
    private func declareMatrix(of frame: VideoFrame) throws(CodecError) -> Bool {
        guard frame.colorSpace.matrix != matrix else { return false }
        matrix = frame.colorSpace.matrix
        guard settings.vpx == .vp9 else { return false }
        let space = matrix == .bt709 ? VPX_CS_BT_709 : VPX_CS_BT_601
        try context.control(VP9E_SET_COLOR_SPACE, to: Int(space.rawValue))
        return true
    }

    /// Passes on all packets that are ready. Returns `false` if there were none.
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
        // libvpx's memory, which is valid until the next call. `body` runs before that.
        let payload = unsafe Span<UInt8>(
            _unsafeStart: CVPX_packet_data(packet).assumingMemoryBound(to: UInt8.self), count: byteCount)
        try body(coded, payload)
    }

    /// Returns the properties of the picture whose frame is output at `ticks`. A hidden frame has no picture: its
    /// time follows the previous one.
    private func picture(at ticks: Int64, isHidden: Bool) -> HeldPicture {
        // libvpx rounds timestamps by a tick. Pictures before that were dropped.
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
        let quantizer = try context.control(reading: VP8E_GET_LAST_QUANTIZER.rawValue)
        lastQuantizer = quantizer
        bursts?.add(isKey: isKey, byteCount: byteCount, quantizer: quantizer)
        let isReference = isKey || settings.temporalPattern.step(at: patternPosition).temporalIndex == 0
        still?.add(quantizer: quantizer, isReference: isReference)
        statistics.framesEncoded += isHidden ? 0 : 1
        statistics.hiddenFramesEncoded += isHidden ? 1 : 0
        statistics.keyFramesEncoded += isKey ? 1 : 0
        statistics.stillBlocksSkipped += still?.skipCount ?? 0
        statistics.bytesEncoded += byteCount
        statistics.qpSum += quantizer
    }
}

// MARK: - Changes at run time

extension VPXEncoder {
    /// Changes the encoder's configuration from the next frame on. The same values again cost nothing.
    ///
    /// Bitrate, frame rate, content, speed, denoising and the rate control's limits change without a mark in the
    /// stream. A new size, thread count or temporal pattern needs a new libvpx encoder, which starts with a key frame
    /// and an empty rate control; frame numbers continue. The codec and the effort cannot change, and an encoder in
    /// the second of two passes cannot change at all: these trap.
    ///
    /// - Parameters:
    ///   - settings: the new settings.
    ///   - resolution: the size of the pictures to come.
    ///   - frameRate: the expected frame rate.
    ///   - bitrate: the target bitrate.
    /// - Throws: ``CodecError``; the encoder then keeps its previous configuration.
    public func change(
        to settings: EncoderSettings, resolution: Resolution, frameRate: FrameRate, bitrate: Bitrate
    ) throws(CodecError) {
        precondition(settings.codec == self.settings.codec, "the codec of an encoder cannot change")
        precondition(settings.effort == self.settings.effort, "the effort of an encoder cannot change")
        precondition(statisticsOfFirstPass == nil, "the second of two passes cannot change")
        if resolution != self.resolution || settings.needsNewEncoder(after: self.settings) {
            try restart(settings, resolution, bitrate)
        } else if settings != self.settings || bitrate != self.bitrate {
            try reconfigure(settings, bitrate)
        }
        self.frameRate = frameRate
        timeline.announce(frameRate)
    }

    /// Sets the target bitrate from the next frame on. The same bitrate again costs nothing.
    public func setBitrate(_ bitrate: Bitrate) throws(CodecError) {
        guard bitrate != self.bitrate else { return }
        try reconfigure(settings, bitrate)
    }

    /// Restarts libvpx with a key frame and an empty rate control, after a suspected fault.
    public func restart() throws(CodecError) {
        try restart(settings, resolution, bitrate)
    }

    private func restart(_ settings: EncoderSettings, _ resolution: Resolution, _ bitrate: Bitrate) throws(CodecError) {
        context = try Self.makeContext(settings, resolution, bitrate, nil)
        bursts.update(settings)
        still = StillBlockControl.isPossible(settings) ? StillBlockControl(settings, resolution) : nil
        matrix = .bt601
        held.removeAll(keepingCapacity: true)
        if resolution != self.resolution { image = VPXInputImage(resolution) }
        (self.settings, self.resolution, self.bitrate) = (settings, resolution, bitrate)
        (newest, patternPosition) = (nil, 0)
        timeline = settings.timeline(at: frameRate)
    }

    private func reconfigure(_ settings: EncoderSettings, _ bitrate: Bitrate) throws(CodecError) {
        try settings.validate(with: bitrate)
        if settings.burstLimit != nil, bursts?.losesCredit(from: self.bitrate, to: bitrate) == true {
            try dropCredit(settings, bitrate)
        }
        try unsafe context.configure(settings.configuration(for: resolution, bitrate))
        bursts.update(settings)
        if settings != self.settings {
            try settings.applyChangeableControls(to: context, resolution)
            try still.update(settings, resolution, for: context)
        }
        (self.settings, self.bitrate) = (settings, bitrate)
    }

    private static func makeContext(
        _ settings: EncoderSettings, _ resolution: Resolution, _ bitrate: Bitrate, _ statistics: FirstPassBuffer?
    ) throws(CodecError) -> VPXContext {
        try settings.validate(with: bitrate)
        let pass = unsafe statistics.map { unsafe EncoderSettings.Pass.last($0.bytes) } ?? .only
        let context = try unsafe VPXContext(
            settings.vpx, settings.configuration(for: resolution, bitrate, pass: pass))
        try settings.applyControls(to: context, resolution)
        return context
    }
}

extension EncoderSettings {
    /// Creates the timeline for frames with that announced rate.
    func timeline(at frameRate: FrameRate) -> RateControlTimeline {
        RateControlTimeline(frameRate: frameRate, maximumBacklog: bufferSize)
    }

    /// Whether libvpx must be restarted for the change from `old` to these settings.
    fileprivate func needsNewEncoder(after old: EncoderSettings) -> Bool {
        threadCount != old.threadCount || temporalPattern != old.temporalPattern
    }
}
