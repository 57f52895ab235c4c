internal import CVPX
import RillCore
import RillRTP

extension EncoderSettings {
    /// Which of two passes over the clip it is, or the only one.
    @unsafe
    enum Pass {
        case only
        case first
        /// The second pass, with the statistics of the first: memory that lives as long as the encoder.
        case last(vpx_fixed_buf_t)
    }

    /// Returns these settings as libvpx's configuration.
    @unsafe
    func configuration(
        for resolution: Resolution, _ bitrate: Bitrate, pass: Pass = unsafe .only
    ) throws(CodecError) -> vpx_codec_enc_cfg_t {
        var configuration = unsafe vpx_codec_enc_cfg_t()
        let result = unsafe vpx_codec_enc_config_default(vpx.encoderInterface, &configuration, 0)
        guard result == VPX_CODEC_OK else {
            throw .libvpx(
                call: "vpx_codec_enc_config_default", code: Int(result.rawValue),
                detail: "no \(codec.rawValue) encoder")
        }
        unsafe configuration.g_w = UInt32(resolution.width)
        unsafe configuration.g_h = UInt32(resolution.height)
        unsafe configuration.g_timebase = vpx_rational_t(num: 1, den: Int32(RateControlTimeline.clockRate))
        unsafe configuration.g_threads = UInt32(threadCount)
        unsafe configuration.g_lag_in_frames = effort == .good ? UInt32(lagInFrames) : 0
        switch unsafe pass {
        case .only: unsafe configuration.g_pass = VPX_RC_ONE_PASS
        case .first: unsafe configuration.g_pass = VPX_RC_FIRST_PASS
        case .last(let statistics):
            unsafe configuration.g_pass = VPX_RC_LAST_PASS
            unsafe configuration.rc_twopass_stats_in = statistics
        }
        unsafe configuration.rc_end_usage = rateControl
        let target = quality != nil && vpx == .vp8 ? Self.enough : bitrate
        unsafe configuration.rc_target_bitrate = UInt32(target.bitsPerSecond / 1000)
        unsafe configuration.rc_min_quantizer = UInt32(quantizers.lowerBound)
        unsafe configuration.rc_max_quantizer = UInt32(quantizers.upperBound)
        unsafe configuration.rc_undershoot_pct = UInt32(undershootPercentage)
        unsafe configuration.rc_overshoot_pct = UInt32(overshootPercentage)
        unsafe configuration.rc_dropframe_thresh = UInt32(dropThreshold)
        unsafe configuration.rc_buf_sz = UInt32(bufferSize.milliseconds)
        unsafe configuration.rc_buf_initial_sz = UInt32(initialBufferLevel.milliseconds)
        unsafe configuration.rc_buf_optimal_sz = UInt32(optimalBufferLevel.milliseconds)
        unsafe configuration.kf_mode = VPX_KF_AUTO
        unsafe configuration.kf_max_dist = UInt32(maximumKeyFrameInterval)
        if let quality, vpx == .vp8, case .only = unsafe pass {
            // With bits to spare, one pass would encode key frames and golden frames at the best possible quality.
            unsafe configuration.rc_min_quantizer = UInt32(max(quality, quantizers.lowerBound))
        }
        if temporalPattern != .l1t1 { unsafe split(bitrate, in: &configuration) }
        return unsafe configuration
    }

    /// libvpx's rate control mode. VP8 has no constant quality (VPX_Q in 1.12 keeps to the bitrate). It gets the mode
    /// that never exceeds the quality, with a bitrate that is high enough to reach it always.
    private var rateControl: vpx_rc_mode {
        switch (quality, vpx, effort) {
        case (.some, .vp8, _): VPX_CQ
        case (.some, .vp9, _): VPX_Q
        case (nil, _, .good): VPX_VBR
        case (nil, _, .realtime): VPX_CBR
        }
    }

    /// More bits than any picture takes. Six seconds of them still fit libvpx's 32 bits.
    private static let enough = Bitrate.megabits(100)

    /// Splits the bitrate over the temporal layers. libvpx takes cumulative rates: a layer with those below it.
    @unsafe
    private func split(_ bitrate: Bitrate, in configuration: inout vpx_codec_enc_cfg_t) {
        let shares = TemporalShares(count: temporalPattern.layerCount)
        let sums = (0..<shares.count).map { UInt32(shares.bitrate(upTo: $0, of: bitrate).bitsPerSecond / 1000) }
        let decimators = (0..<shares.count).map { UInt32(1 << (shares.count - 1 - $0)) }
        let layers = temporalPattern.steps.map { UInt32($0.temporalIndex) }
        unsafe configuration.ts_number_layers = UInt32(shares.count)
        unsafe configuration.ts_periodicity = UInt32(temporalPattern.period)
        // C arrays of five numbers, one per layer, and of sixteen, one per frame of the period. The patterns have at
        // most four.
        unsafe store(layers, in: &configuration.ts_layer_id)
        unsafe store(decimators, in: &configuration.ts_rate_decimator)
        unsafe store(sums, in: &configuration.ts_target_bitrate)
        guard vpx == .vp9 else { return }
        // The references are passed with each frame. Decoding a layer must not depend on state of frames that may be
        // left out, so probabilities and motion vectors do not carry over.
        unsafe configuration.temporal_layering_mode = Int32(VP9E_TEMPORAL_LAYERING_MODE_BYPASS.rawValue)
        unsafe configuration.g_error_resilient = 1  // VPX_ERROR_RESILIENT_DEFAULT
        unsafe store(sums, in: &configuration.layer_target_bitrate)
    }

    /// Writes a C array of numbers.
    @unsafe
    private func store<Field>(_ values: [UInt32], in field: inout Field) {
        unsafe withUnsafeMutableBytes(of: &field) { bytes in
            for (index, value) in values.enumerated() {
                unsafe bytes.storeBytes(of: value, toByteOffset: 4 * index, as: UInt32.self)
            }
        }
    }
}

// MARK: - Controls

extension EncoderSettings {
    /// Sets the controls that are not part of libvpx's configuration, on a new encoder.
    func applyControls(to context: borrowing VPXContext, _ resolution: Resolution) throws(CodecError) {
        try applyChangeableControls(to: context, resolution)
        if let quality { try context.control(VP8E_SET_CQ_LEVEL, to: quality) }
        if effort == .good { try applyLookahead(to: context) }
        switch vpx {
        case .vp8:
            try context.control(VP8E_SET_TOKEN_PARTITIONS, to: 0)
        case .vp9:
            try context.control(VP9E_SET_ROW_MT, to: 1)
            try context.control(VP9E_SET_TILE_COLUMNS, to: threadCount.bitWidth - 1 - threadCount.leadingZeroBitCount)
            // 3 moves bits over time, for real time only.
            try context.control(VP9E_SET_AQ_MODE, to: effort == .good ? 0 : 3)
            // Each frame's probabilities follow those of the previous frame: fewer bits.
            try context.control(VP9E_SET_FRAME_PARALLEL_DECODING, to: 0)
        }
    }

    /// Enables alternate reference frames: built from up to seven future pictures, never shown, and used as
    /// references.
    private func applyLookahead(to context: borrowing VPXContext) throws(CodecError) {
        try context.control(VP8E_SET_ENABLEAUTOALTREF, to: lagInFrames > 0 ? 1 : 0)
        try context.control(VP8E_SET_ARNR_MAXFRAMES, to: 7)
        try context.control(VP8E_SET_ARNR_STRENGTH, to: 5)
    }

    /// Sets the controls that may change while an encoder runs.
    func applyChangeableControls(
        to context: borrowing VPXContext, _ resolution: Resolution
    ) throws(CodecError) {
        try context.control(VP8E_SET_CPUUSED, to: effectiveSpeed(for: resolution))
        try context.control(VP8E_SET_STATIC_THRESHOLD, to: staticThreshold)
        try context.control(VP8E_SET_MAX_INTRA_BITRATE_PCT, to: maximumKeyFramePercentage)
        switch vpx {
        case .vp8:
            try context.control(VP8E_SET_SCREEN_CONTENT_MODE, to: content == .screen ? 1 : 0)
            // 4: adapts to the measured noise.
            try context.control(VP8E_SET_NOISE_SENSITIVITY, to: isDenoising ? 4 : 0)
        case .vp9:
            let tune = content == .screen ? VP9E_CONTENT_SCREEN : VP9E_CONTENT_DEFAULT
            try context.control(VP9E_SET_TUNE_CONTENT, to: Int(tune.rawValue))
            try context.control(VP9E_SET_NOISE_SENSITIVITY, to: isDenoising ? 1 : 0)
            guard temporalPattern != .l1t1 else { return }
            try context.control(VP9E_SET_SVC, to: 1)
            try context.setLayers(layerParameters(for: resolution))
        }
    }

    /// Returns the parameters of one spatial layer at full size, with the stream's quantizers and speed.
    func layerParameters(for resolution: Resolution) -> vpx_svc_extra_cfg_t {
        var parameters = vpx_svc_extra_cfg_t()
        let count = temporalPattern.layerCount
        // C arrays of twelve numbers, one per spatial and temporal layer.
        unsafe store(Array(repeating: UInt32(quantizers.upperBound), count: count), in: &parameters.max_quantizers)
        unsafe store(Array(repeating: UInt32(quantizers.lowerBound), count: count), in: &parameters.min_quantizers)
        parameters.scaling_factor_num.0 = 1
        parameters.scaling_factor_den.0 = 1
        parameters.speed_per_layer.0 = Int32(effectiveSpeed(for: resolution))
        parameters.temporal_layering_mode = Int32(VP9E_TEMPORAL_LAYERING_MODE_BYPASS.rawValue)
        return parameters
    }
}
