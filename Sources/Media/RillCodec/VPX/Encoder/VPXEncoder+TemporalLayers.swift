internal import CVPX
import RillCore

// Layer 0 is stored in libvpx's last frame, layer 1 of three in its golden frame. The top layer is not stored, and
// the alternate reference is not used. What is not stored must not change the decoder's state, so frames above layer
// 0 do not update the probabilities either.

extension VPXEncoder {
    /// Passes the layer of the next frame to libvpx, and returns the flags that implement the pattern.
    func beginStep(isKeyFrame: Bool) throws(CodecError) -> VPXFrameFlags {
        let pattern = settings.temporalPattern
        guard pattern != .l1t1 else { return isKeyFrame ? .keyFrame : [] }
        let step = pattern.step(at: patternPosition)
        switch settings.vpx {
        case .vp8: try context.control(VP8E_SET_TEMPORAL_LAYER_ID, to: step.temporalIndex)
        case .vp9: try context.setTemporalLayer(step.temporalIndex)
        }
        guard patternPosition > 0 else { return isKeyFrame ? .keyFrame : [] }
        var flags: VPXFrameFlags = [.ignoresAlternate, .keepsAlternate]
        if step.temporalIndex > 0 { flags.formUnion([.keepsLast, .keepsEntropy]) }
        // Only a frame that refers to two others uses the golden frame, and only a frame that others refer to is
        // stored there.
        if step.distances.count == 1 { flags.formUnion(.ignoresGolden) }
        if step.temporalIndex > 0 && !step.isDiscardable {
            flags.formUnion(.becomesGolden)
        } else {
            flags.formUnion(.keepsGolden)
        }
        return flags
    }

    /// Returns the description of the frame that was just coded, and advances the pattern.
    ///
    /// libvpx (1.12) reports that frames stored only as the golden frame can be dropped, which is wrong. With layers
    /// the pattern decides.
    func describe(_ picture: HeldPicture, isKey: Bool, isDiscardable: Bool, byteCount: Int) -> EncodedFrame {
        // libvpx may insert a key frame that was not requested. It restarts the pattern.
        if isKey { patternPosition = 0 }
        let step = settings.temporalPattern.step(at: patternPosition)
        let number = nextNumber
        var references = FrameReferences()
        if !isKey { for distance in step.distances { references.append(number - Int64(distance)) } }
        nextNumber += 1
        patternPosition += 1
        return EncodedFrame(
            codec: settings.codec, layer: StreamLayer(rid: layer.rid, temporalIndex: step.temporalIndex),
            number: number,
            references: references, isKey: isKey,
            isDiscardable: settings.temporalPattern == .l1t1 ? isDiscardable : step.isDiscardable,
            isLayerSync: step.isLayerSync, isSwitchingUpPoint: settings.temporalPattern != .l1t1,
            resolution: resolution, rotation: picture.rotation, captureTime: picture.captureTime, byteCount: byteCount,
            timestamps: picture.timestamps)
    }
}

/// The flags of one frame: `vpx_enc_frame_flags_t`, whose names are macros that Swift does not import.
struct VPXFrameFlags: OptionSet {
    let rawValue: Int

    /// VPX_EFLAG_FORCE_KF: make it a key frame.
    static let keyFrame = VPXFrameFlags(rawValue: 1 << 0)
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
