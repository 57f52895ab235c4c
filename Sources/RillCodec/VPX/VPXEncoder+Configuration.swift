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
        return unsafe configuration
    }
}
