import RillCore
import RillRTP
import RillTestSupport
import Testing

@Suite struct RTPPacketTests {
    /// Every field set: two contributing sources, an extension of one word, five bytes of payload, three of padding.
    private static let full: [UInt8] = [
        0xB2, 0xE0, 0xFF, 0xFE,  // V=2 P X CC=2, M PT=96, sequence number 65534
        0x89, 0xAB, 0xCD, 0xEF,  // timestamp
        0x00, 0x00, 0xCA, 0xFE,  // SSRC
        0x00, 0x00, 0x00, 0x01, 0xFF, 0xFF, 0xFF, 0xFF,  // CSRCs
        0xBE, 0xDE, 0x00, 0x01, 0x10, 0xAA, 0x00, 0x00,  // extension
        0x01, 0x02, 0x03, 0x04, 0x05,  // payload
        0x00, 0x00, 0x03,  // padding
    ]

    private static let plain: [UInt8] = [
        0x80, 0x60, 0x00, 0x01, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x03, 0x10, 0x20, 0x30,
    ]

    @Test func `Every field is at its position in the RFC`() throws {
        let packet = try RTPPacket(parsing: RTPPacketTests.full.span)
        let header = packet.header
        #expect(header.marker)
        #expect(header.payloadType == PayloadType(96))
        #expect(header.sequenceNumber == SequenceNumber(65534))
        #expect(header.timestamp == RTPTimestamp(0x89AB_CDEF))
        #expect(header.ssrc == SSRC(0xCAFE))
        #expect(header.byteCount == 12)
        let csrcs = packet.csrcs.array
        #expect(csrcs == [SSRC(1), SSRC(0xFFFF_FFFF)])
        let profile = packet.headerExtension?.profile
        let data = packet.headerExtension?.data.array
        #expect(profile == 0xBEDE)
        #expect(data == [0x10, 0xAA, 0x00, 0x00])
        let payload = packet.payload.array
        #expect(payload == [1, 2, 3, 4, 5])
        #expect(packet.paddingByteCount == 3)
        #expect(packet.byteCount == RTPPacketTests.full.count)
    }

    @Test(arguments: [full, plain])
    func `Written packets equal the parsed ones`(bytes: [UInt8]) throws {
        let packet = try RTPPacket(parsing: bytes.span)
        #expect(written(packet) == bytes)
        #expect(!(try RTPPacket(parsing: RTPPacketTests.plain.span)).header.marker)
    }

    @Test func `Any header, extension, payload and padding come back`() throws {
        var random = SeededGenerator(seed: 2)
        for turn in 0..<2000 {
            let csrcs = (0..<Int.random(in: 0...15, using: &random)).map { _ in
                SSRC(.random(in: .min ... .max, using: &random))
            }
            let header = RTPHeader(
                marker: .random(using: &random), payloadType: PayloadType(.random(in: 0...127, using: &random)),
                sequenceNumber: SequenceNumber(.random(in: .min ... .max, using: &random)),
                timestamp: RTPTimestamp(.random(in: .min ... .max, using: &random)),
                ssrc: SSRC(.random(in: .min ... .max, using: &random)))
            let extensionData = random.bytes(4 * Int.random(in: 0...20, using: &random))
            let payload = random.bytes(Int.random(in: 0...100, using: &random))
            let padding = Bool.random(using: &random) ? 0 : Int.random(in: 1...255, using: &random)
            let block = RTPHeaderExtension(profile: 0x1000, data: extensionData.span)
            let packet = RTPPacket(
                header: header, csrcs: WireList(csrcs.span), headerExtension: turn % 3 == 0 ? nil : block,
                payload: payload.span, paddingByteCount: padding)
            let bytes = written(packet)
            #expect(bytes.count == packet.byteCount)

            let back = try RTPPacket(parsing: bytes.span)
            let backData = back.headerExtension?.data.array
            let backPayload = back.payload.array
            let backSources = back.csrcs.array
            #expect(back.header == header, "turn \(turn)")
            #expect(backSources == csrcs, "turn \(turn)")
            #expect(backData == (turn % 3 == 0 ? nil : extensionData), "turn \(turn)")
            #expect(backPayload == payload, "turn \(turn)")
            #expect(back.paddingByteCount == padding, "turn \(turn)")
        }
    }

    @Test(arguments: 0..<full.count - 8)
    func `A packet cut short throws`(count: Int) {
        // Cut within the payload it would still be a packet, were it not for the padding count.
        let cut = Array(RTPPacketTests.full.prefix(count))
        #expect(throws: RTPError.self, "\(count) bytes") { _ = try RTPPacket(parsing: cut.span) }
    }

    @Test func `Errors carry their numbers`() {
        func error(_ bytes: [UInt8]) -> RTPError? {
            do throws(RTPError) { _ = try RTPPacket(parsing: bytes.span) } catch { return error }
            return nil
        }
        var bytes = RTPPacketTests.plain
        #expect(error([]) == .truncated(needed: 1, available: 0))
        #expect(error(Array(bytes.prefix(11))) == .truncated(needed: 12, available: 11))
        bytes[0] = 0x40
        #expect(error(bytes) == .unsupportedVersion(1))
        bytes[0] = 0x8F
        #expect(error(bytes) == .truncated(needed: 72, available: 15))
        bytes[0] = 0x90
        #expect(error(bytes) == .truncated(needed: 16, available: 15))
        bytes[0] = 0xA0
        #expect(error(bytes) == .invalidPadding(count: 0x30, available: 3))
        bytes[14] = 0
        #expect(error(bytes) == .invalidPadding(count: 0, available: 3))
        bytes[14] = 4
        #expect(error(bytes) == .invalidPadding(count: 4, available: 3))
        bytes[14] = 3
        #expect(error(bytes) == nil)
        #expect(error(Array(bytes.prefix(12))) == .invalidPadding(count: 0, available: 0))
    }

    @Test func `A packet of padding alone has no payload`() throws {
        let bytes: [UInt8] = [0xA0, 0x60, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 3]
        let packet = try RTPPacket(parsing: bytes.span)
        let isEmpty = packet.payload.isEmpty
        #expect(isEmpty)
        #expect(packet.paddingByteCount == 3)
    }

    @Test func `Any bytes are a packet that writes itself again, or a typed error`() {
        var parsed = 0
        let inputs = MutatedInputs(
            of: [RTPPacketTests.full, RTPPacketTests.plain], count: 100_000, using: SeededGenerator(seed: 3))
        for (index, input) in inputs.enumerated() {
            do throws(RTPError) {
                let packet = try RTPPacket(parsing: input.span)
                parsed += 1
                let kept = input.count - packet.paddingByteCount
                let bytes = written(packet)
                #expect(bytes.count == input.count, "input \(index)")
                #expect(bytes.prefix(kept) == input.prefix(kept), "input \(index)")
                let layout = try RTPPacketLayout(parsing: input.span)
                let (header, isExtended) = (packet.header, packet.headerExtension != nil)
                #expect(layout.header == header && layout.hasExtension == isExtended, "input \(index)")
                let isPayload = packet.payload.isIdentical(to: input.span.extracting(layout.payload))
                #expect(isPayload, "input \(index)")
            } catch {
                // Every error of this parser is one of the four.
                switch error {
                case .truncated(let needed, let available): #expect(needed > available, "input \(index)")
                case .unsupportedVersion(let version): #expect(version != 2, "input \(index)")
                case .invalidPadding(let count, let available):
                    #expect(count == 0 || count > available, "input \(index)")
                default: Issue.record("input \(index): \(error)")
                }
            }
        }
        #expect((30_000..<90_000).contains(parsed), "\(parsed) of the inputs were packets")
    }

    private func written(_ packet: RTPPacket) -> [UInt8] {
        [UInt8](capacity: packet.byteCount) { output in packet.write(into: &output) }
    }
}
