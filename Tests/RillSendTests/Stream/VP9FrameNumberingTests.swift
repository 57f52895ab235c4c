import RillCore
import Testing

@testable import RillRTP
@testable import RillSend

@Suite struct VP9FrameNumberingTests {
    private func settings(_ mode: ReferenceSignaling, layers: Int = 1) -> RTPStreamSettings {
        var settings = sampleSettings()
        settings.referenceSignaling = mode
        settings.temporalLayerCount = layers
        settings.firstPictureID = 32766
        settings.firstTL0PictureIndex = 255
        return settings
    }

    private func frame(_ number: Int64, layer: Int = 0, references: [Int64] = []) -> EncodedFrame {
        var frame = EncodedFrame.sample(number, temporalIndex: layer)
        frame.codec = .vp9
        frame.isKey = references.isEmpty
        frame.references = FrameReferences()
        for reference in references { frame.references.append(reference) }
        frame.isSwitchingUpPoint = layer == 0
        return frame
    }

    private func differences(_ descriptor: VP9PayloadDescriptor) -> [UInt8] {
        (0..<descriptor.references.count).map { descriptor.references[$0] }
    }

    @Test func `In flexible mode the references are differences of picture IDs`() {
        var numbering = VP9FrameNumbering(settings(.flexible).numbering)
        let frames = [
            frame(0), frame(1, references: [0]), frame(2, references: [1, 0]), frame(5, references: [2, 0, 1]),
            frame(132, references: [5]),
        ]
        let descriptors = frames.map { numbering.descriptor(for: $0) }
        #expect(descriptors.map { $0.pictureID?.value } == [32766, 32767, 0, 3, 130])
        #expect(descriptors.map(differences) == [[], [1], [1, 2], [3, 5, 4], [127]])
        #expect(descriptors.map(\.isInterPicturePredicted) == [false, true, true, true, true])
        #expect(descriptors.map(\.isFlexible) == [true, true, true, true, true])
        #expect(descriptors.map { $0.layer == nil && $0.tl0PictureIndex == nil } == [true, true, true, true, true])
    }

    @Test func `In non-flexible mode layers and TL0PICIDX are sent, and the group once`() throws {
        var numbering = VP9FrameNumbering(settings(.nonFlexible, layers: 3).numbering)
        var indices: [UInt8?] = []
        for number in 0..<9 as Range<Int64> {
            let step = TemporalPattern.l1t3.step(at: Int(number))
            let references = number == 0 ? [] : step.distances.map { number - Int64($0) }
            let frame = frame(number, layer: step.temporalIndex, references: references)
            let descriptor = numbering.descriptor(for: frame)
            indices.append(descriptor.tl0PictureIndex)
            #expect(descriptor.layer?.temporalIndex == UInt8(step.temporalIndex), "frame \(number)")
            #expect(descriptor.layer?.isSwitchingUpPoint == (step.temporalIndex == 0), "frame \(number)")
            #expect(!descriptor.isFlexible && descriptor.references.count == 0, "frame \(number)")
            let bytes = numbering.structure(for: frame)
            #expect(bytes.isEmpty == (number > 0), "frame \(number)")
            guard number == 0 else { continue }
            let structure = try VP9ScalabilityStructure(parsing: bytes.span)
            let size = structure.size(ofLayer: 0)
            #expect(size == VP9ScalabilityStructure.Size(width: 160, height: 120))
            var pictures: [VP9ScalabilityStructure.Picture] = []
            structure.forEachPicture { pictures.append($0) }
            #expect(pictures.map(\.temporalIndex) == [0, 2, 1, 2])
            let told = pictures.map { picture in (0..<picture.references.count).map { picture.references[$0] } }
            #expect(told == [[4], [1], [2], [1, 3]])
        }
        #expect(indices == [255, 255, 255, 255, 0, 0, 0, 0, 1])
    }

    @Test func `A key frame carries its size in either mode, and a group only if there is one`() throws {
        for mode in [ReferenceSignaling.flexible, .nonFlexible] {
            var numbering = VP9FrameNumbering(settings(mode).numbering)
            _ = numbering.descriptor(for: frame(0))
            let bytes = numbering.structure(for: frame(0))
            let structure = try VP9ScalabilityStructure(parsing: bytes.span)
            let (count, layers) = (structure.pictureCount, structure.spatialLayerCount)
            #expect(count == nil && layers == 1)
        }
    }
}
