import CAOM
import Rill
import RillCore

/// Encodes AV1 in real time with libaom, at constant bitrate and without lookahead. Of the layer's settings it applies
/// the content type, threads, quantizers, key frame interval and all of the rate control.
final class AV1Encoder: VideoEncoder {
    private(set) var statistics = EncoderStatistics()
    private let rid: StreamLayer.RID
    private var settings: EncoderSettings
    private var stream: (resolution: Resolution, frameRate: FrameRate, bitrate: Bitrate)
    private let context = UnsafeMutablePointer<aom_codec_ctx_t>.allocate(capacity: 1)
    private var configuration = aom_codec_enc_cfg_t()
    /// libaom's memory for the input picture.
    private var image: UnsafeMutablePointer<aom_image_t>?
    private var number: Int64 = 0
    private var newestTicks: Int64 = -1

    init(_ layer: LayerSettings) throws {
        rid = layer.rid
        settings = layer.encoder
        stream = (layer.resolution, layer.frameRate, layer.bitrate)
        context.initialize(to: aom_codec_ctx_t())
        try start()
    }

    deinit {
        stop()
        context.deallocate()
    }

    func encode(
        _ frame: VideoFrame, isKeyFrame: Bool, _ body: (EncodedFrame, Span<UInt8>) throws -> Void
    ) throws -> EncoderOutcome {
        copy(frame)
        // libaom requires rising timestamps.
        let ticks = max(newestTicks + 1, frame.captureTime.ticks(rate: 90_000))
        newestTicks = ticks
        let interval = UInt(stream.frameRate.interval.nanoseconds * 90_000 / 1_000_000_000)
        let flags = isKeyFrame ? CAOM_FORCE_KEY_FRAME : 0
        try AOMError.check(aom_codec_encode(context, image, ticks, interval, flags), "aom_codec_encode")

        var iterator: aom_codec_iter_t?
        var quantizer: Int?
        while let packet = aom_codec_get_cx_data(context, &iterator) {
            guard CAOM_is_frame(packet) != 0, let bytes = CAOM_bytes(packet) else { continue }
            let (isKey, byteCount) = (CAOM_is_key(packet) != 0, CAOM_byte_count(packet))
            quantizer = Int(CAOM_last_quantizer(context))
            statistics.framesEncoded += 1
            statistics.keyFramesEncoded += isKey ? 1 : 0
            statistics.qpSum += quantizer ?? 0
            statistics.bytesEncoded += byteCount
            var coded = EncodedFrame(
                codec: .av1, layer: StreamLayer(rid: rid), number: number,
                references: isKey ? FrameReferences() : FrameReferences(number - 1), isKey: isKey,
                resolution: frame.resolution, captureTime: frame.captureTime, byteCount: byteCount,
                timestamps: frame.timestamps)
            coded.rotation = frame.rotation
            number += 1
            // The bytes are in libaom's memory and valid until its next call.
            try body(coded, UnsafeBufferPointer(start: bytes, count: byteCount).span)
        }
        if quantizer == nil { statistics.framesDropped += 1 }
        return quantizer == nil ? .dropped : .coded(quantizer: quantizer)
    }

    func change(
        to settings: EncoderSettings, resolution: Resolution, frameRate: FrameRate, bitrate: Bitrate
    ) throws {
        let needsRestart = resolution != stream.resolution || settings.threadCount != self.settings.threadCount
        self.settings = settings
        stream = (resolution, frameRate, bitrate)
        if needsRestart { return try restart() }
        configure()
        try AOMError.check(aom_codec_enc_config_set(context, &configuration), "aom_codec_enc_config_set")
        try setContent()
    }

    func restart() throws {
        stop()
        try start()
    }

    // MARK: Inside

    private func start() throws {
        let usage = UInt32(AOM_USAGE_REALTIME)
        try AOMError.check(
            aom_codec_enc_config_default(aom_codec_av1_cx(), &configuration, usage), "aom_codec_enc_config_default")
        configuration.g_w = UInt32(stream.resolution.width)
        configuration.g_h = UInt32(stream.resolution.height)
        configuration.g_timebase = aom_rational(num: 1, den: 90_000)
        configuration.g_threads = UInt32(settings.threadCount)
        configuration.g_lag_in_frames = 0
        configuration.g_error_resilient = 0
        configuration.rc_end_usage = AOM_CBR
        configure()
        try AOMError.check(CAOM_enc_init(context, &configuration), "aom_codec_enc_init")
        // The second-fastest speed for real time.
        try AOMError.check(CAOM_control(context, Int32(AOME_SET_CPUUSED.rawValue), 9), "AOME_SET_CPUUSED")
        try AOMError.check(CAOM_control(context, Int32(AV1E_SET_AQ_MODE.rawValue), 3), "AV1E_SET_AQ_MODE")
        try setContent()
        image = aom_img_alloc(nil, AOM_IMG_FMT_I420, configuration.g_w, configuration.g_h, 32)
        guard image != nil else { throw AOMError(call: "aom_img_alloc", code: AOM_CODEC_MEM_ERROR.rawValue) }
        newestTicks = -1
    }

    /// Sets what may change between pictures.
    private func configure() {
        configuration.rc_target_bitrate = UInt32(stream.bitrate.bitsPerSecond / 1000)
        configuration.rc_dropframe_thresh = UInt32(settings.dropThreshold)
        configuration.rc_buf_sz = UInt32(settings.bufferSize.milliseconds)
        configuration.rc_buf_initial_sz = UInt32(settings.initialBufferLevel.milliseconds)
        configuration.rc_buf_optimal_sz = UInt32(settings.optimalBufferLevel.milliseconds)
        configuration.rc_undershoot_pct = UInt32(settings.undershootPercentage)
        configuration.rc_overshoot_pct = UInt32(settings.overshootPercentage)
        configuration.rc_min_quantizer = UInt32(settings.quantizers.lowerBound)
        configuration.rc_max_quantizer = UInt32(settings.quantizers.upperBound)
        configuration.kf_max_dist = UInt32(settings.maximumKeyFrameInterval)
    }

    private func setContent() throws {
        let content = settings.content == .screen ? AOM_CONTENT_SCREEN : AOM_CONTENT_DEFAULT
        let control = Int32(AV1E_SET_TUNE_CONTENT.rawValue)
        try AOMError.check(CAOM_control(context, control, Int32(content.rawValue)), "AV1E_SET_TUNE_CONTENT")
    }

    private func stop() {
        aom_codec_destroy(context)
        if let image { aom_img_free(image) }
        image = nil
    }

    private func copy(_ frame: VideoFrame) {
        guard let image else { return }
        let planes = [image.pointee.planes.0, image.pointee.planes.1, image.pointee.planes.2]
        let strides = [image.pointee.stride.0, image.pointee.stride.1, image.pointee.stride.2]
        for (index, (base, stride)) in zip(planes, strides).enumerated() {
            let plane = frame[plane: index]
            for y in 0..<plane.height {
                plane.row(y).withUnsafeBufferPointer { row in
                    guard let base, let source = row.baseAddress else { return }
                    (base + y * Int(stride)).update(from: source, count: row.count)
                }
            }
        }
    }
}
