import RillCore
import RillRTP
import RillSend

extension EncodedFrame {
    /// Frame `number` of a VP8 stream at 30 frames a second; the first is a key frame.
    static func sample(
        _ number: Int64, byteCount: Int = 100, captureTime: MediaTime? = nil, temporalIndex: Int = 0,
        isDiscardable: Bool = false, isLayerSync: Bool = false
    ) -> EncodedFrame {
        EncodedFrame(
            codec: .vp8, layer: StreamLayer(rid: .high, temporalIndex: temporalIndex), number: number,
            references: number == 0 ? FrameReferences() : FrameReferences(number - 1), isKey: number == 0,
            isDiscardable: isDiscardable, isLayerSync: isLayerSync, resolution: .qqvga,
            captureTime: captureTime ?? MediaTime(ticks: number * 3000, rate: 90_000), byteCount: byteCount)
    }
}

/// The stream of these tests.
let sampleSSRC = SSRC(0xCAFE)
/// Who receives it.
let receiverSSRC = SSRC(0xBEEF)

func sampleSettings() -> RTPStreamSettings {
    var settings = RTPStreamSettings(ssrc: sampleSSRC, payloadType: PayloadType(96), canonicalName: "a@b")
    settings.historyCapacity = 64
    return settings
}

/// What `write` appends.
func written(_ write: (inout OutputSpan<UInt8>) -> Void) -> [UInt8] {
    [UInt8](capacity: 2000) { output in write(&output) }
}

func pictureLossIndication(for media: SSRC = sampleSSRC) -> [UInt8] {
    written { output in PictureLossIndication(sender: receiverSSRC, media: media).write(into: &output) }
}

func fullIntraRequest(_ number: UInt8, for media: SSRC = sampleSSRC, from sender: SSRC = receiverSSRC) -> [UInt8] {
    let entries = [FullIntraRequest.Entry(ssrc: media, number: number)]
    return written { output in
        FullIntraRequest(sender: sender, entries: WireList(entries.span)).write(into: &output)
    }
}

func receiverReport(_ block: ReportBlock) -> [UInt8] {
    let blocks = [block]
    return written { output in
        ReceiverReport(ssrc: receiverSSRC, blocks: WireList(blocks.span)).write(into: &output)
    }
}
