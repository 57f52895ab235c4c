import RillCore
import Testing

@testable import RillRTP
@testable import RillSend

@Suite struct VP8FrameNumberingTests {
    @Test(arguments: [0, 1, 127, 128, 32766, 32767] as [UInt16])
    func `Picture IDs have 15 bits and count on across their end`(start: UInt16) {
        var settings = sampleSettings()
        settings.firstPictureID = start
        var numbering = VP8FrameNumbering(settings.numbering)
        for number in 0..<40_000 {
            let descriptor = numbering.descriptor(for: .sample(Int64(number)))
            #expect(descriptor.pictureID == .long(UInt16((Int(start) + number) % 32768)), "start \(start) \(number)")
        }
    }

    @Test func `Frames that were never sent leave their gap`() {
        var numbering = VP8FrameNumbering(sampleSettings().numbering)
        let ids = [0, 1, 4, 5, 5, 3, 4].map { numbering.descriptor(for: .sample($0)).pictureID?.value }
        // From 5 on the encoder's numbers do not go up: each counts as the next.
        #expect(ids == [0, 1, 4, 5, 6, 7, 8])
    }

    @Test func `A stream of one temporal layer signals no layers`() {
        var numbering = VP8FrameNumbering(sampleSettings().numbering)
        let descriptor = numbering.descriptor(for: .sample(0, isDiscardable: true, isLayerSync: true))
        #expect(descriptor.temporalLayer == nil && descriptor.tl0PictureIndex == nil && descriptor.keyIndex == nil)
        #expect(descriptor.isNonReference && descriptor.startsFrame)
        #expect(descriptor.byteCount == 4)
    }

    @Test func `TL0PICIDX counts the frames of the base layer and wraps`() {
        var settings = sampleSettings()
        settings.temporalLayerCount = 3
        settings.firstTL0PictureIndex = 254
        var numbering = VP8FrameNumbering(settings.numbering)
        let layers = [0, 2, 1, 2, 0, 2, 1, 2, 0, 2]
        var indices: [UInt8?] = []
        for (number, layer) in layers.enumerated() {
            let descriptor = numbering.descriptor(
                for: .sample(
                    Int64(number), temporalIndex: layer, isDiscardable: layer == 2, isLayerSync: number == 2))
            indices.append(descriptor.tl0PictureIndex)
            #expect(descriptor.temporalLayer?.index == UInt8(layer), "frame \(number)")
            #expect(descriptor.temporalLayer?.isLayerSync == (number == 2), "frame \(number)")
            #expect(descriptor.isNonReference == (layer == 2), "frame \(number)")
        }
        #expect(indices == [254, 254, 254, 254, 255, 255, 255, 255, 0, 0])
    }
}
