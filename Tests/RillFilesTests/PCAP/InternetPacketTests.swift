import RillCore
import Testing

@testable import RillFiles

@Suite struct InternetPacketTests {
    private let payload: [UInt8] = [1, 2, 3, 4, 5]

    private func look(_ bytes: [UInt8]) -> InternetPacket { InternetPacket(in: bytes.span, at: 0) }

    private func expected(
        _ range: Range<Int>, of byteCount: Int = 5, from source: UDPAddress = CaptureFiles.sender,
        to destination: UDPAddress = CaptureFiles.receiver
    ) -> InternetPacket {
        .datagram(
            InternetPacket.Datagram(
                source: source, destination: destination, payload: range, originalByteCount: byteCount))
    }

    @Test func `A datagram is found in version 4, after options and before padding`() {
        let packet = CaptureFiles.packet(payload)
        #expect(look(packet) == expected(28..<33))
        #expect(look(packet + [0, 0, 0]) == expected(28..<33))
        var withOptions = packet
        withOptions[0] = 0x47
        withOptions[3] += 8
        withOptions.insert(contentsOf: [1, 1, 1, 1, 1, 1, 1, 0], at: 20)
        #expect(look(withOptions) == expected(36..<41))
        // Left to the network card.
        var offloaded = packet
        offloaded[2...3] = [0, 0]
        #expect(look(offloaded) == expected(28..<33))
    }

    @Test func `A datagram is found in version 6 after extension headers`() {
        let (from, to) = (CaptureFiles.senderV6, CaptureFiles.receiverV6)
        let packet = CaptureFiles.packet(payload, from: from, to: to)
        #expect(look(packet) == expected(48..<53, from: from, to: to))
        // Hop-by-hop of 16 bytes, destination options of 8, authentication of 12 + 4, an atomic fragment.
        var extended = packet
        let headers: [UInt8] =
            [60, 1] + [UInt8](repeating: 0, count: 14) + [51, 0, 1, 4, 0, 0, 0, 0] + [44, 2]
            + [UInt8](repeating: 0, count: 14) + [17, 0, 0, 0, 9, 9, 9, 9]
        extended[6] = 0
        extended[5] += UInt8(headers.count)
        extended.insert(contentsOf: headers, at: 40)
        #expect(look(extended) == expected(48 + headers.count..<53 + headers.count, from: from, to: to))
        for length in 40..<extended.count - 5 {
            #expect(look(Array(extended[..<length])) == .unreadable, "\(length) bytes")
        }
    }

    @Test(arguments: [(6, UInt8(0x20)), (7, 1), (6, 0x1F)])
    func `Fragments of version 4 are reported`(offset: Int, value: UInt8) {
        var packet = CaptureFiles.packet(payload)
        packet[6] = 0
        #expect(look(packet) == expected(28..<33))
        packet[offset] = value
        let place = offset == 6 && value == 0x20 ? 0 : 8 * (offset == 6 ? 0x1F00 : 1)
        #expect(
            look(packet)
                == .fragment(
                    InternetPacket.Fragment(
                        key: InternetPacket.Fragment.Key(
                            source: CaptureFiles.sender.ip, destination: CaptureFiles.receiver.ip, identification: 0),
                        range: place..<place + 13, isLast: value != 0x20, payload: 20..<33)))
    }

    @Test(arguments: [(UInt8(0), UInt8(1)), (0, 8), (0x80, 0)])
    func `Fragments of version 6 are reported`(high: UInt8, low: UInt8) {
        var packet = CaptureFiles.packet(payload, from: CaptureFiles.senderV6, to: CaptureFiles.receiverV6)
        packet[6] = 44
        packet[5] += 8
        packet.insert(contentsOf: [17, 0, high, low, 1, 2, 3, 4], at: 40)
        let place = Int(high) << 8 | Int(low & 0xF8)
        #expect(
            look(packet)
                == .fragment(
                    InternetPacket.Fragment(
                        key: InternetPacket.Fragment.Key(
                            source: CaptureFiles.senderV6.ip, destination: CaptureFiles.receiverV6.ip,
                            identification: 0x0102_0304),
                        range: place..<place + 13, isLast: low & 1 == 0, payload: 48..<61)))
    }

    @Test func `A truncated datagram is found as far as it was captured`() {
        let packet = CaptureFiles.packet(payload)
        for length in 28..<33 { #expect(look(Array(packet[..<length])) == expected(28..<length), "\(length) bytes") }
        for length in 0..<28 { #expect(look(Array(packet[..<length])) == .unreadable, "\(length) bytes") }
    }

    @Test func `Contradictions are reported`() {
        let packet = CaptureFiles.packet(payload)
        for (offset, value) in [(0, UInt8(0x44)), (3, 19), (25, 7), (25, 14)] {
            var bytes = packet
            bytes[offset] = value
            #expect(look(bytes) == .unreadable, "byte \(offset)")
        }
        for (offset, value) in [(0, UInt8(0x15)), (9, 6)] {
            var bytes = packet
            bytes[offset] = value
            #expect(look(bytes) == .other, "byte \(offset)")
        }
    }

    @Test func `The checksum of the RFC's example is right`() {
        // RFC 1071 §3: the words 0001 f203 f4f5 f6f7 add up to ddf2.
        let bytes: [UInt8] = [0x00, 0x01, 0xF2, 0x03, 0xF4, 0xF5, 0xF6, 0xF7]
        var checksum = InternetChecksum()
        checksum.add(bytes.span)
        #expect(checksum.value == ~0xDDF2)
        checksum.add([0x10].span)
        #expect(checksum.value == ~0xEDF2)
    }

    @Test func `Datagrams are found after the header of every link type`() {
        let packet = CaptureFiles.packet(payload)
        let addresses = [UInt8](repeating: 2, count: 12)
        let frames: [(LinkType, [UInt8], Int)] = [
            (.rawIP, [], 0), (.ipv4, [], 0), (LinkType(rawValue: 12), [], 0), (.null, [2, 0, 0, 0], 4),
            (.loop, [0, 0, 0, 2], 4), (.ethernet, addresses + [8, 0], 14),
            (.ethernet, addresses + [0x81, 0, 0, 5, 8, 0], 18),
            (.ethernet, addresses + [0x88, 0xA8, 0, 5, 0x81, 0, 0, 6, 8, 0], 22),
            (.linuxCooked, [0, 0, 3, 4, 0, 6] + addresses[..<8] + [8, 0], 16),
            (.linuxCookedV2, [8, 0] + [UInt8](repeating: 0, count: 18), 20),
        ]
        for (type, head, offset) in frames {
            #expect(type.isKnown)
            #expect(type.content(of: (head + packet).span) == .internet(offset: offset), "link \(type.rawValue)")
            for length in 0..<head.count {
                #expect(type.content(of: Array(head[..<length]).span) == .tooShort, "link \(type.rawValue), \(length)")
            }
        }
        #expect(LinkType.ethernet.content(of: (addresses + [8, 6] + packet).span) == .other)
        #expect(LinkType(rawValue: 147).content(of: packet.span) == .other && !LinkType(rawValue: 147).isKnown)
    }
}
