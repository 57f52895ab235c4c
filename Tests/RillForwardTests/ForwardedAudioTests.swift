import RillCore
import RillForward
import RillPeer
import RillPeerSupport
import RillRTP
import RillTestSupport
import Testing

@testable import RillForward

@Suite struct ForwardedAudioTests {
    private func packet(_ number: UInt16, _ timestamp: UInt32, of ssrc: UInt32, count: Int = 80) -> [UInt8] {
        let header = RTPHeader(
            marker: false, payloadType: PayloadType(111), sequenceNumber: SequenceNumber(number),
            timestamp: RTPTimestamp(timestamp), ssrc: SSRC(ssrc))
        let payload = [UInt8](repeating: 7, count: count)
        let packet = RTPPacket(header: header, payload: payload.span)
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: packet.byteCount) { packet.write(into: &$0) }
        return bytes
    }

    private func header(_ bytes: [UInt8]) throws -> RTPHeader { try RTPHeader(parsing: bytes.span) }

    @Test(arguments: [0, 1, 127, 32767, 32768, 65535] as [UInt16])
    func `Numbers and timestamps keep their distances, and go on with another publisher`(start: UInt16) throws {
        var rewriter = AudioRewriter(ssrc: SSRC(5), payloadType: PayloadType(96))
        var output: [UInt8] = []
        var sent: [RTPHeader] = []
        // One is lost, and two have changed places.
        for (index, step) in [0, 1, 3, 2, 4].enumerated() {
            let one = packet(start &+ UInt16(step), .max - 1920 &+ UInt32(step) * 960, of: 1)
            let isSent = rewriter.rewrite(one.span, at: .zero + .milliseconds(20 * index), into: &output)
            #expect(isSent)
            sent.append(try header(output))
        }
        #expect(sent.map { $0.sequenceNumber.rawValue &- sent[0].sequenceNumber.rawValue } == [0, 1, 3, 2, 4])
        #expect(sent.map { $0.timestamp.rawValue &- sent[0].timestamp.rawValue } == [0, 960, 2880, 1920, 3840])
        #expect(sent.allSatisfy { $0.ssrc == SSRC(5) && $0.payloadType == PayloadType(96) })
        // Half a second later somebody else speaks.
        let other = packet(9, 77, of: 2)
        let isSent = rewriter.rewrite(other.span, at: .zero + .milliseconds(580), into: &output)
        #expect(isSent)
        let next = try header(output)
        #expect(next.sequenceNumber.rawValue == sent[4].sequenceNumber.rawValue &+ 1)
        #expect(next.timestamp.rawValue &- sent[4].timestamp.rawValue == 24_000)
        #expect(output.count == 92)
    }

    @Test func `What is not a packet is not sent`() {
        var rewriter = AudioRewriter(ssrc: SSRC(5), payloadType: PayloadType(96))
        var output: [UInt8] = [1]
        for bytes in [[1, 2, 3], packet(1, 1, of: 1, count: 0)] {
            let isSent = rewriter.rewrite(bytes.span, at: .zero, into: &output)
            #expect(!isSent)
        }
        #expect(output == [1])
    }

    /// Padding of a source, as Chromium probes with it: no payload, and its length at the end (RFC 3550 §5.1).
    private func padding(_ number: UInt16, _ timestamp: UInt32, of ssrc: UInt32, count: UInt8 = 224) -> [UInt8] {
        var bytes = packet(number, timestamp, of: ssrc, count: Int(count))
        bytes[0] |= 0x20
        bytes[bytes.count - 1] = count
        return bytes
    }

    /// What a publisher sends, in order of arrival: numbers, negative for padding; and the numbers of what viewers get,
    /// from the first on, negative for padding.
    static let probes: [(sent: [Int], received: [Int])] = [
        ([1, -2, -3, 4, 5], [0, 1, 2]),
        // Before the first packet, nothing is shifted.
        ([-1, -2, 3, 4], [0, 1]),
        // Late from before the padding, and padding that is late.
        ([1, 2, -4, 3, 5], [0, 1, 2, 3]), ([1, -2, -5, 4, 3, 6], [0, 2, 1, 3]), ([1, 3, -2, 4], [0, 2, -1, 3]),
        // Twice.
        ([1, -2, -2, 3, -4, -2, 5], [0, 1, 2]),
        // What is lost stays a gap: 4.
        ([1, -2, 3, 5, -6, 7], [0, 1, 3, 4]),
    ]

    @Test(arguments: probes, [0, 1, 127, 32764, 32767, 65530, 65533, 65535] as [UInt16])
    func `Padding leaves no gap`(probe: (sent: [Int], received: [Int]), start: UInt16) throws {
        var rewriter = AudioRewriter(ssrc: SSRC(5), payloadType: PayloadType(96))
        var (output, received): ([UInt8], [Int]) = ([], [])
        var first: UInt16?
        for (index, number) in probe.sent.enumerated() {
            let (place, time) = (start &+ UInt16(abs(number)), UInt32(960 * abs(number)))
            let bytes = number < 0 ? padding(place, time, of: 1) : packet(place, time, of: 1)
            guard rewriter.rewrite(bytes.span, at: .zero + .milliseconds(20 * index), into: &output) else { continue }
            let sent = try RTPPacket(parsing: output.span)
            let number = sent.header.sequenceNumber.rawValue
            first = first ?? number
            received.append(Int(number &- (first ?? 0)) * (sent.payload.isEmpty ? -1 : 1))
        }
        #expect(received == probe.received, "\(probe.sent) from \(start)")
    }

    @Test func `Padding of a day shifts numbers once each, and another publisher begins afresh`() throws {
        var rewriter = AudioRewriter(ssrc: SSRC(5), payloadType: PayloadType(96))
        var (output, last): ([UInt8], UInt16?) = ([], nil)
        var number: UInt16 = 65_000
        for index in 0..<300_000 {
            number &+= 1
            // Runs without padding that are longer than half of all numbers.
            let isPadding = index % 100_000 < 20_000 && index % 7 < 3
            let bytes = isPadding ? padding(number, UInt32(index), of: 1) : packet(number, UInt32(index), of: 1)
            guard rewriter.rewrite(bytes.span, at: .zero + .milliseconds(20 * index), into: &output) else { continue }
            let sent = try header(output).sequenceNumber.rawValue
            if let last, sent != last &+ 1 { Issue.record("\(index): \(last), then \(sent)") }
            last = sent
        }
        let isSent = rewriter.rewrite(packet(9, 9, of: 2).span, at: .zero + .seconds(7000), into: &output)
        let next = try existing(last) &+ 1
        #expect(try isSent && header(output).sequenceNumber.rawValue == next)
    }

    @Test func `A publisher's probes are neither sound nor dropped, and no listener sees a gap`() throws {
        let room = try ForwardNetwork("delay=10ms")
        let publisher = try room.publish("lobby", hasAudio: true)
        let listener = try room.watch("lobby", hasAudio: true)
        room.run(.seconds(1))
        let type = try existing(
            publisher.end.peer.negotiator.sections.first { $0.kind == .audio }?.sending.first?.payloadType)
        for index in 0..<200 {
            let isPadding = index % 10 > 7
            let place = (UInt16(index), UInt32(index) * 960)
            var bytes = isPadding ? padding(place.0, place.1, of: 77) : packet(place.0, place.1, of: 77)
            bytes[1] = type.rawValue
            let isSent = publisher.end.peer.send(packet: bytes.span)
            #expect(isSent)
            room.run(.milliseconds(10))
        }
        room.run(.milliseconds(100))
        let heard = try listener.end.packets.map { try header($0).sequenceNumber.rawValue }
        #expect(heard.count == 160 && zip(heard, heard.dropFirst()).allSatisfy { $1 == $0 &+ 1 })
        #expect(room.forwarder.counts.audioPackets == 160 && room.forwarder.droppedSound == DroppedSound())
    }

    @Test func `Sound reaches those who asked for it`() throws {
        let room = try ForwardNetwork("delay=10ms")
        let publisher = try room.publish("lobby", hasAudio: true)
        let (listener, deaf) = (try room.watch("lobby", hasAudio: true), try room.watch("lobby"))
        room.run(.seconds(1))
        let type = try existing(
            publisher.end.peer.negotiator.sections.first { $0.kind == .audio }?.sending.first?.payloadType)
        for index in 0..<50 {
            var bytes = packet(UInt16(index), UInt32(index) * 960, of: 77)
            bytes[1] = type.rawValue
            let isSent = publisher.end.peer.send(packet: bytes.span)
            #expect(isSent)
            room.run(.milliseconds(20))
        }
        room.run(.milliseconds(100))
        let heard = try listener.end.packets.map { try RTPHeader(parsing: $0.span) }
        #expect(heard.count == 50 && deaf.end.packets.isEmpty)
        #expect(Set(heard.map(\.ssrc)).count == 1 && heard[0].ssrc != SSRC(77))
        #expect(
            zip(heard, heard.dropFirst()).allSatisfy {
                $1.sequenceNumber.rawValue == $0.sequenceNumber.rawValue &+ 1
            })
        #expect(room.forwarder.counts.audioPackets == 50)
        // Pictures go on.
        #expect(listener.frames.count > 40)
    }
}
