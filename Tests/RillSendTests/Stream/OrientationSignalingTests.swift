import RillCore
import RillPacketSupport
import RillRTP
import RillSend
import Testing

/// What is told of the orientation of pictures, and with which packets.
@Suite struct OrientationSignalingTests {
    private func settings(id: UInt8? = 4, _ change: (inout RTPStreamSettings) -> Void = { _ in }) throws
        -> RTPStreamSettings
    {
        var settings = sampleSettings()
        if let id { try settings.headerExtensions.set(.videoOrientation, id: id) }
        change(&settings)
        return settings
    }

    private func frame(_ number: Int64, isKey: Bool, _ rotation: Rotation, codec: VideoCodec = .vp8) -> EncodedFrame {
        var frame = EncodedFrame.sample(number)
        frame.codec = codec
        frame.isKey = isKey
        frame.references = isKey ? FrameReferences() : FrameReferences(number - 1)
        frame.rotation = rotation
        return frame
    }

    /// The data of the element of that number in a packet's header extension; `nil` if there is none.
    private func element(_ id: UInt8, in bytes: [UInt8]) throws -> [UInt8]? {
        let packet = try RTPPacket(parsing: bytes.span)
        guard let block = packet.headerExtension else { return nil }
        var elements = block.elements
        while let element = try elements.next() {
            if element.id == id { return element.data.array }
        }
        return nil
    }

    @Test func `Key frames signal it, as do rotated frames and those after a change`() throws {
        var sender = try RTPStreamSender(settings())
        let payload: [UInt8] = [1, 2, 3]
        // K key frame, D delta frame; the turn in quarters; what is told of it.
        let steps: [(Character, Int, UInt8?)] = [
            ("K", 0, 0), ("D", 0, nil), ("D", 1, 1), ("D", 1, 1), ("D", 3, 3), ("D", 0, 0), ("D", 0, 0), ("K", 0, 0),
            ("D", 0, nil), ("K", 2, 2), ("D", 2, 2), ("K", 0, 0), ("D", 0, nil),
        ]
        for (number, step) in steps.enumerated() {
            let sink = CollectingSink()
            let coded = frame(Int64(number), isKey: step.0 == "K", Rotation.allCases[step.1])
            sender.send(coded, payload: payload.span, at: .zero, to: sink)
            #expect(sink.packets.count == 1)
            let told = try element(4, in: sink.packets[0])
            #expect(told == step.2.map { [$0] }, "frame \(number)")
        }
    }

    @Test(arguments: [VideoCodec.vp8, .vp9], [4, 20] as [UInt8])
    func `The last packet carries it, within the size limit, and the frame is received`(codec: VideoCodec, id: UInt8)
        throws
    {
        for limit in [64, 100, 1200] {
            let settings = try settings(id: id) {
                $0.maximumPacketByteCount = limit
                $0.historyCapacity = 200
                $0.temporalLayerCount = 3
                $0.retransmission = RetransmissionSettings(ssrc: SSRC(9), payloadType: PayloadType(97))
                $0.fec = FECSettings(
                    percentage: .percent(20), payloadType: PayloadType(98), redPayloadType: PayloadType(99))
            }
            var sender = try RTPStreamSender(settings)
            for (number, byteCount) in [1, 40, 150, 1000].enumerated() {
                let sink = CollectingSink()
                let payload = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0) }
                let coded = frame(Int64(number), isKey: number == 0, .clockwise270, codec: codec)
                sender.send(coded, payload: payload.span, at: .zero, to: sink)
                var told: [Bool] = []
                var joined = 0
                for bytes in sink.packets {
                    #expect(bytes.count <= limit, "\(codec), limit \(limit)")
                    let media = try RTPPacket(parsing: bytes.span)
                    var blocks = try REDPayload(parsing: media.payload)
                    guard let primary = blocks.next(), primary.payloadType == PayloadType(96) else { continue }
                    joined += primary.data.count
                    let value = try element(id, in: bytes)
                    #expect(value == nil || value == [3])
                    told.append(value != nil)
                    #expect((value != nil) == media.header.marker)
                }
                #expect(told.last == true && told.filter { $0 }.count == 1, "\(codec), limit \(limit), \(byteCount)")
                #expect(joined > byteCount, "\(codec), limit \(limit): \(joined) bytes with descriptors")
            }
        }
    }

    @Test func `What the extension takes is counted as header`() throws {
        var sender = try RTPStreamSender(settings())
        let sink = CollectingSink()
        let payload = [UInt8](repeating: 1, count: 3000)
        sender.send(frame(0, isKey: true, .none), payload: payload.span, at: .zero, to: sink)
        let statistics = sender.statistics
        // A one-byte element, its header of one byte and two of padding, behind a header of four.
        #expect(sink.packets.count == 3 && statistics.headerBytesSent == 12 * 3 + 8)
        #expect(statistics.bytesSent + statistics.headerBytesSent == sink.packets.map(\.count).reduce(0, +))
    }

    @Test func `Nothing is sent without a negotiated extension`() throws {
        var sender = try RTPStreamSender(settings(id: nil))
        let sink = CollectingSink()
        let payload: [UInt8] = [1]
        sender.send(frame(0, isKey: true, .clockwise90), payload: payload.span, at: .zero, to: sink)
        let bytes = sink.packets[0]
        let hasExtension = try RTPPacket(parsing: bytes.span).headerExtension != nil
        #expect(!hasExtension)
    }

    @Test func `A retransmitted packet carries it, too`() throws {
        let settings = try settings {
            $0.retransmission = RetransmissionSettings(ssrc: SSRC(9), payloadType: PayloadType(97))
        }
        var sender = try RTPStreamSender(settings)
        let (sink, again) = (CollectingSink(), CollectingSink())
        let payload: [UInt8] = [1, 2]
        sender.send(frame(0, isKey: true, .clockwise90), payload: payload.span, at: .zero, to: sink)
        _ = sender.retransmit(SequenceNumber(0), at: .zero + .seconds(1), to: again)
        #expect(again.packets.count == 1)
        let told = try element(4, in: again.packets[0])
        #expect(told == [1])
    }

    @Test func `A packet restored from FEC packets carries it, too`() throws {
        let (red, fec) = (PayloadType(99), PayloadType(98))
        let settings = try settings {
            $0.historyCapacity = 100
            $0.fec = FECSettings(percentage: .percent(20), payloadType: fec, redPayloadType: red)
        }
        var sender = try RTPStreamSender(settings)
        let sink = CollectingSink()
        let payload = [UInt8](repeating: 5, count: 4000)
        sender.send(frame(0, isKey: true, .clockwise180), payload: payload.span, at: .zero, to: sink)
        let last = sink.packets.count - sender.statistics.fecPacketsSent - 1
        var receiver = RepairingReceiver(red: red, fec: fec)
        for (index, bytes) in sink.packets.enumerated() where index != last { try receiver.insert(bytes) }
        try receiver.repair(ssrc: sampleSSRC)
        let restored = try #require(receiver.media[UInt16(last)])
        let told = try element(4, in: restored)
        #expect(told == [2])
    }
}
