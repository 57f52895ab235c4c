import RillRTP

/// A VP8 payload descriptor: what was parsed writes itself again, in as many bytes.
func fuzzVP8Descriptor(_ bytes: Span<UInt8>) {
    guard let payload = try? VP8Payload(parsing: bytes) else { return }  // a typed error is fine
    let (descriptor, byteCount) = (payload.descriptor, bytes.count - payload.piece.count)
    precondition(byteCount < bytes.count && byteCount <= 6)
    let written = [UInt8](capacity: descriptor.byteCount + 1) { output in
        descriptor.write(into: &output)
        output.append(0)
    }
    guard let again = try? VP8Payload(parsing: written.span) else { preconditionFailure("cannot be read") }
    precondition(again.descriptor == descriptor && again.piece.count == 1)
}

func vp8DescriptorSeeds() -> [FuzzTarget.Seed] {
    let layer = VP8PayloadDescriptor.TemporalLayer(index: 2, isLayerSync: true)
    let descriptors: [(String, VP8PayloadDescriptor)] = [
        ("start", VP8PayloadDescriptor(startsPartition: true)),
        ("middle", VP8PayloadDescriptor(isNonReference: true, startsPartition: false, partitionIndex: 7)),
        ("short-picture-id", VP8PayloadDescriptor(startsPartition: true, pictureID: .short(17))),
        (
            "all",
            VP8PayloadDescriptor(
                startsPartition: true, pictureID: .long(32767), tl0PictureIndex: 255, temporalLayer: layer, keyIndex: 31
            )
        ),
    ]
    return descriptors.map { name, descriptor in
        FuzzTarget.Seed(name) { output in
            descriptor.write(into: &output)
            output.append(0x9D)
        }
    }
}
