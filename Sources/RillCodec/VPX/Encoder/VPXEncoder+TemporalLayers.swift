internal import CVPX
import RillCore

// Layer 0 lives in libvpx's last frame, layer 1 of three in its golden frame; the top layer is kept nowhere. The
// alternate reference is not used. What is not kept must leave no trace in the decoder, so frames above layer 0 do not
// change the probabilities either.

extension VPXEncoder {
    /// Tells libvpx the layer of the frame about to be coded, and gives the flags that make it what the pattern says.
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
        // Only what refers to two frames takes one from the golden buffer, and only what others refer to goes there.
        if step.distances.count == 1 { flags.formUnion(.ignoresGolden) }
        if step.temporalIndex > 0 && !step.isDiscardable {
            flags.formUnion(.becomesGolden)
        } else {
            flags.formUnion(.keepsGolden)
        }
        return flags
    }

    /// What is known of the frame that was just coded; the pattern goes on to the next.
    ///
    /// Of frames that only become golden libvpx (1.12) says that they can be dropped, which is not so; with layers the
    /// pattern knows better.
    func describe(_ picture: HeldPicture, isKey: Bool, isDiscardable: Bool, byteCount: Int) -> EncodedFrame {
        // libvpx may make a key frame that nobody asked for: with it the pattern begins anew.
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
            stamps: picture.stamps)
    }
}
