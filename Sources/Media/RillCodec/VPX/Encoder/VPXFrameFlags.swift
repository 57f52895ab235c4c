/// The flags of one frame: `vpx_enc_frame_flags_t`, whose names are macros that Swift does not import.
struct VPXFrameFlags: OptionSet {
    let rawValue: Int

    /// VPX_EFLAG_FORCE_KF: make it a key frame.
    static let keyFrame = VPXFrameFlags(rawValue: 1 << 0)
    /// VP8_EFLAG_NO_REF_LAST: do not refer to the last frame.
    static let ignoresLast = VPXFrameFlags(rawValue: 1 << 16)
    /// VP8_EFLAG_NO_REF_GF: do not refer to the golden frame.
    static let ignoresGolden = VPXFrameFlags(rawValue: 1 << 17)
    /// VP8_EFLAG_NO_UPD_LAST: leave the last frame as it is.
    static let keepsLast = VPXFrameFlags(rawValue: 1 << 18)
    /// VP8_EFLAG_NO_UPD_ENTROPY: leave the probabilities as they were before this frame.
    static let keepsEntropy = VPXFrameFlags(rawValue: 1 << 20)
    /// VP8_EFLAG_NO_REF_ARF: do not refer to the alternate reference frame.
    static let ignoresAlternate = VPXFrameFlags(rawValue: 1 << 21)
    /// VP8_EFLAG_NO_UPD_GF: leave the golden frame as it is.
    static let keepsGolden = VPXFrameFlags(rawValue: 1 << 22)
    /// VP8_EFLAG_NO_UPD_ARF: leave the alternate reference frame as it is.
    static let keepsAlternate = VPXFrameFlags(rawValue: 1 << 23)
    /// VP8_EFLAG_FORCE_GF: make it the golden frame.
    static let becomesGolden = VPXFrameFlags(rawValue: 1 << 19)
}
