import RillRTP

/// An RTP packet with whatever extensions: what was parsed writes itself again, and its elements too.
func fuzzRTP(_ bytes: Span<UInt8>) {
    guard let packet = try? RTPPacket(parsing: bytes) else { return }  // a typed error is as good an answer
    let written = [UInt8](capacity: packet.byteCount) { output in packet.write(into: &output) }
    precondition(written.count == bytes.count)
    for index in 0..<bytes.count - packet.paddingByteCount { precondition(written[index] == bytes[index]) }
    if let block = packet.headerExtension { fuzzElements(of: block) }
}

/// The elements of a block, written again in a layout made for them, are the same elements.
private func fuzzElements(of block: RTPHeaderExtension) {
    var layout = HeaderExtensionLayout()
    var elements = block.elements
    while let element = try? elements.next() {
        layout.add(id: element.id, byteCount: element.data.count)
        readValue(of: element)
    }
    // Two-byte elements of a full block may have outgrown it only if they were one-byte ones before.
    guard layout.byteCount <= 4 + 4 * 65535 else { return }
    let written = [UInt8](capacity: layout.byteCount) { output in
        let writer = HeaderExtensionWriter(layout, into: &output)
        var elements = block.elements
        while let element = try? elements.next() { writer.append(data: element.data, id: element.id, into: &output) }
        writer.finish(into: &output)
    }
    precondition(written.count == layout.byteCount)
    guard let again = try? RTPHeaderExtension(parsing: written.span) else { preconditionFailure("not a block") }
    var before = block.elements
    var after = again.elements
    while let old = try? before.next() {
        guard let new = try? after.next() else { preconditionFailure("element \(old.id) is gone") }
        precondition(new.id == old.id && isEqual(new.data, old.data))
    }
    precondition((try? after.next()) == nil)
}

/// Reads an element as each kind of value; what is one writes itself again.
private func readValue(of element: HeaderExtensionElement) {
    for kind in HeaderExtensionKind.allCases {
        switch kind {
        case .absoluteSendTime: check(AbsoluteSendTime.self, element.data)
        case .transportSequenceNumber: check(TransportSequenceNumber.self, element.data)
        case .mid, .rid, .repairedRID: check(StreamIdentifier.self, element.data)
        case .videoOrientation: check(VideoOrientation.self, element.data)
        case .playoutDelay: check(PlayoutDelay.self, element.data)
        case .audioLevel: check(AudioLevel.self, element.data)
        // No public type: DependencyDescriptorTests mutates it.
        case .dependencyDescriptor: break
        }
    }
}

private func check<Value: HeaderExtensionValue>(_ type: Value.Type, _ data: Span<UInt8>) {
    guard let value = try? Value(parsing: data) else { return }
    let written = [UInt8](capacity: value.byteCount) { output in value.write(into: &output) }
    precondition(written.count == data.count && (try? Value(parsing: written.span)) == value)
}

package func isEqual(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
    a.count == b.count && a.indices.allSatisfy { a[$0] == b[$0] }
}

func rtpSeeds() -> [FuzzTarget.Seed] {
    let header = RTPHeader(
        marker: true, payloadType: PayloadType(96), sequenceNumber: SequenceNumber(65534),
        timestamp: RTPTimestamp(0x89AB_CDEF), ssrc: SSRC(0xCAFE))
    let payload: [UInt8] = [0x90, 0x80, 0x11, 1, 2, 3]
    return [
        FuzzTarget.Seed("plain") { RTPPacket(header: header, payload: payload.span).write(into: &$0) },
        FuzzTarget.Seed("sources-and-padding") {
            let sources = [SSRC(1), SSRC(0xFFFF_FFFF)]
            RTPPacket(header: header, csrcs: WireList(sources.span), payload: payload.span, paddingByteCount: 7)
                .write(into: &$0)
        },
        FuzzTarget.Seed("one-byte-extensions") { output in
            writePacket(header, payload.span, ids: (1, 2, 3, 4, 14), into: &output)
        },
        FuzzTarget.Seed("two-byte-extensions") { output in
            writePacket(header, payload.span, ids: (1, 2, 15, 16, 255), into: &output)
        },
        FuzzTarget.Seed("other-profile") { output in
            let words: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
            let block = RTPHeaderExtension(profile: 0x1234, data: words.span)
            RTPPacket(header: header, headerExtension: block, payload: payload.span).write(into: &output)
        },
    ]
}

/// A packet with every kind of extension.
@_lifetime(output: copy output)
private func writePacket(
    _ header: RTPHeader, _ payload: Span<UInt8>, ids: (UInt8, UInt8, UInt8, UInt8, UInt8),
    into output: inout OutputSpan<UInt8>
) {
    guard let name = StreamIdentifier("hi"), let delay = PlayoutDelay(minimumSteps: 1, maximumSteps: 4095) else {
        preconditionFailure("both are within their bounds")
    }
    var layout = HeaderExtensionLayout()
    layout.add(id: ids.0, byteCount: AbsoluteSendTime.byteCount)
    layout.add(id: ids.1, byteCount: TransportSequenceNumber.byteCount)
    layout.add(id: ids.2, byteCount: name.byteCount)
    layout.add(id: ids.3, byteCount: VideoOrientation.byteCount)
    layout.add(id: ids.4, byteCount: PlayoutDelay.byteCount)
    header.write(into: &output, hasExtension: true)
    let writer = HeaderExtensionWriter(layout, into: &output)
    writer.append(AbsoluteSendTime(rawValue: 0x12_3456), id: ids.0, into: &output)
    writer.append(TransportSequenceNumber(SequenceNumber(7)), id: ids.1, into: &output)
    writer.append(name, id: ids.2, into: &output)
    writer.append(VideoOrientation(rotation: .clockwise90, isFlipped: true), id: ids.3, into: &output)
    writer.append(delay, id: ids.4, into: &output)
    writer.finish(into: &output)
    for index in payload.indices { output.append(payload[index]) }
}
