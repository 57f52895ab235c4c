import RillCore
import RillRTP

/// A VP9 payload: what was parsed writes itself again, and says the same; the frame header behind it is looked at too.
func fuzzVP9Descriptor(_ bytes: Span<UInt8>) {
    guard let payload = try? VP9Payload(parsing: bytes) else { return }  // a typed error is as good an answer
    precondition(payload.byteCount <= bytes.count && !payload.piece.isEmpty)
    let written = [UInt8](capacity: payload.byteCount) { output in payload.write(into: &output) }
    precondition(written.count == payload.byteCount)
    guard let again = try? VP9Payload(parsing: written.span) else { preconditionFailure("cannot be read") }
    precondition(again.descriptor == payload.descriptor && isEqual(again.piece, payload.piece))
    if let structure = payload.scalabilityStructure {
        guard let copy = again.scalabilityStructure else { preconditionFailure("the structure is gone") }
        precondition(copy.byteCount == structure.byteCount && copy.spatialLayerCount == structure.spatialLayerCount)
        for layer in 0..<structure.spatialLayerCount {
            precondition(copy.size(ofLayer: layer) == structure.size(ofLayer: layer))
        }
        var pictures = 0
        structure.forEachPicture { _ in pictures += 1 }
        precondition(pictures == structure.pictureCount ?? 0)
    }
    _ = try? VP9FrameHeader(parsing: payload.piece)
}

func vp9DescriptorSeeds() -> [FuzzTarget.Seed] {
    let layer = VP9PayloadDescriptor.Layer(
        temporalIndex: 2, isSwitchingUpPoint: true, spatialIndex: 1, isInterLayerPredicted: true)
    var references = FrameDistances(1)
    references.append(4)
    references.append(127)
    let descriptors: [(String, VP9PayloadDescriptor)] = [
        ("start", VP9PayloadDescriptor(startsFrame: true, endsFrame: false)),
        (
            "non-flexible",
            VP9PayloadDescriptor(
                pictureID: .short(17), layer: layer, startsFrame: true, endsFrame: true, tl0PictureIndex: 255)
        ),
        (
            "flexible",
            VP9PayloadDescriptor(
                pictureID: .long(32767), isInterPicturePredicted: true, layer: layer, isFlexible: true,
                startsFrame: false, endsFrame: true, isNotReferenceForUpperLayers: true, references: references)
        ),
    ]
    let piece: [UInt8] = [0x82, 0x49, 0x83, 0x42, 0x00, 0x27, 0xF0, 0x1D, 0xF0]
    return descriptors.map { name, descriptor in
        FuzzTarget.Seed(name) { output in
            VP9Payload(descriptor: descriptor, piece: piece.span).write(into: &output)
        }
    } + [
        FuzzTarget.Seed("structure") { output in
            let sizes = [
                VP9ScalabilityStructure.Size(width: 320, height: 180),
                VP9ScalabilityStructure.Size(width: 640, height: 360),
            ]
            let pictures = [
                VP9ScalabilityStructure.Picture(temporalIndex: 0, isSwitchingUpPoint: false, references: references),
                VP9ScalabilityStructure.Picture(temporalIndex: 1, isSwitchingUpPoint: true, references: references),
            ]
            let structure = [UInt8](capacity: 64) { output in
                VP9ScalabilityStructure.write(sizes: sizes.span, pictures: pictures.span, into: &output)
            }
            guard let view = try? VP9ScalabilityStructure(parsing: structure.span) else {
                preconditionFailure("it cannot read what it wrote")
            }
            let descriptor = VP9PayloadDescriptor(
                pictureID: .long(1), layer: layer, startsFrame: true, endsFrame: true, tl0PictureIndex: 0)
            VP9Payload(descriptor: descriptor, scalabilityStructure: view, piece: piece.span).write(into: &output)
        }
    ]
}
