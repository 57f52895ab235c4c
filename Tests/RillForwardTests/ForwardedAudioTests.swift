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
