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

    /// Padding of a source, as Chromium probes with it: no payload, and its length at the end (RFC 3550 §5.1).
    private func padding(_ number: UInt16, _ timestamp: UInt32, of ssrc: UInt32, count: UInt8 = 224) -> [UInt8] {
        var bytes = packet(number, timestamp, of: ssrc, count: Int(count))
        bytes[0] |= 0x20
        bytes[bytes.count - 1] = count
        return bytes
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
        let heard = listener.end.payloads.map(\.payload.sequenceNumber)
        #expect(heard.count == 160 && zip(heard, heard.dropFirst()).allSatisfy { $1 == $0 + 1 })
        #expect(room.forwarder.counts.audioPackets == 160 && room.forwarder.droppedSoundPackets == 0)
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
        let heard = listener.end.payloads.map(\.payload)
        #expect(heard.count == 50 && deaf.end.payloads.isEmpty)
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $1.sequenceNumber == $0.sequenceNumber + 1 })
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $1.timestamp.rawValue == $0.timestamp.rawValue &+ 960 })
        #expect(room.forwarder.counts.audioPackets == 50)
        // Pictures go on.
        #expect(listener.frames.count > 40)
    }
}
