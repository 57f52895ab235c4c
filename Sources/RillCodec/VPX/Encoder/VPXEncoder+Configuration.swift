internal import CVPX
import RillCore

extension VPXEncoder.Settings {
    /// Ticks a second of the stamps that libvpx gets: those of RTP.
    static let clockRate = 90_000

    /// These settings in libvpx's words.
    @unsafe
    func configuration(for resolution: Resolution, _ bitrate: Bitrate) throws(CodecError) -> vpx_codec_enc_cfg_t {
        var configuration = unsafe vpx_codec_enc_cfg_t()
        let result = unsafe vpx_codec_enc_config_default(vpx_codec_vp8_cx(), &configuration, 0)
        guard result == VPX_CODEC_OK else {
            throw .libvpx(call: "vpx_codec_enc_config_default", code: Int(result.rawValue), detail: "no VP8 encoder")
        }
        unsafe configuration.g_w = UInt32(resolution.width)
        unsafe configuration.g_h = UInt32(resolution.height)
        unsafe configuration.g_timebase = vpx_rational_t(num: 1, den: Int32(Self.clockRate))
        unsafe configuration.g_threads = UInt32(threadCount)
        unsafe configuration.g_lag_in_frames = 0
        unsafe configuration.g_pass = VPX_RC_ONE_PASS
        unsafe configuration.rc_end_usage = VPX_CBR
        unsafe configuration.rc_target_bitrate = UInt32(bitrate.bitsPerSecond / 1000)
        unsafe configuration.rc_min_quantizer = UInt32(quantizers.lowerBound)
        unsafe configuration.rc_max_quantizer = UInt32(quantizers.upperBound)
        unsafe configuration.rc_undershoot_pct = UInt32(undershootPercentage)
        unsafe configuration.rc_overshoot_pct = UInt32(overshootPercentage)
        unsafe configuration.rc_buf_sz = UInt32(bufferSize.milliseconds)
        unsafe configuration.rc_buf_initial_sz = UInt32(initialBufferLevel.milliseconds)
        unsafe configuration.rc_buf_optimal_sz = UInt32(optimalBufferLevel.milliseconds)
        unsafe configuration.kf_mode = VPX_KF_AUTO
        unsafe configuration.kf_max_dist = UInt32(maximumKeyFrameInterval)
        if temporalPattern != .l1t1 { try unsafe split(bitrate, in: &configuration) }
        return unsafe configuration
    }

    /// Shares the bitrate out over the temporal layers. libvpx wants the sums: what a layer takes with those below it.
    @unsafe
    private func split(_ bitrate: Bitrate, in configuration: inout vpx_codec_enc_cfg_t) throws(CodecError) {
        let shares = TemporalShares(count: temporalPattern.layerCount)
        let sums = (0..<shares.count).map { UInt32(shares.bitrate(upTo: $0, of: bitrate).bitsPerSecond / 1000) }
        guard sums[0] > 0, zip(sums, sums.dropFirst()).allSatisfy(<) else {
            throw .invalidSettings("\(bitrate) bit/s are too few for \(temporalPattern.layerCount) temporal layers")
        }
        unsafe configuration.ts_number_layers = UInt32(temporalPattern.layerCount)
        unsafe configuration.ts_periodicity = UInt32(temporalPattern.period)
        for (index, step) in temporalPattern.steps.enumerated() {
            unsafe withUnsafeMutableBytes(of: &configuration.ts_layer_id) { ids in
                // A C array of 16 numbers, of which a period takes at most four.
                unsafe ids.storeBytes(of: UInt32(step.temporalIndex), toByteOffset: 4 * index, as: UInt32.self)
            }
        }
        for (index, sum) in sums.enumerated() {
            // C arrays of five numbers, one a layer.
            unsafe withUnsafeMutableBytes(of: &configuration.ts_target_bitrate) { rates in
                unsafe rates.storeBytes(of: sum, toByteOffset: 4 * index, as: UInt32.self)
            }
            unsafe withUnsafeMutableBytes(of: &configuration.ts_rate_decimator) { decimators in
                let every = UInt32(1 << (temporalPattern.layerCount - 1 - index))
                unsafe decimators.storeBytes(of: every, toByteOffset: 4 * index, as: UInt32.self)
            }
        }
    }
}
