import RillCore
import RillForward
import RillPeer
import RillPeerSupport
import RillRTP
import RillTestSupport
import Testing

@testable import RillForward

/// What a publisher's sound may cost its listeners.
@Suite struct ForwardedSoundLimitTests {
    private func payloads(_ client: ForwardNetwork.Client, from first: Int = 0) throws -> [UInt8] {
        try client.end.packets.dropFirst(first).map { packet in
            let parsed = try RTPPacket(parsing: packet.span)
            return parsed.payload[0]
        }
    }

    @Test func `48 Mbit/s of sound do not reach the listeners, and what follows does`() throws {
        let room = try ForwardNetwork("delay=10ms")
        let publisher = try room.publish("lobby", hasAudio: true)
        let listeners = try (0..<3).map { _ in try room.watch("lobby", hasAudio: true) }
        room.run(.seconds(1))
        let seconds = 4
        var number = 0
        for _ in 0..<1000 * seconds {
            for _ in 0..<6 {
                try publisher.speak(number, byteCount: 1000)
                number += 1
            }
            room.run(.milliseconds(1))
        }
        room.run(.milliseconds(30))
        for listener in listeners {
            let bits = listener.end.packets.reduce(0) { $0 + 8 * ($1.count - 12) }
            note("\(bits / seconds / 1000) kbit/s reached a listener")
            #expect(bits <= 512_000 * (seconds + 1) + 8000 && bits > 512_000 * (seconds - 1))
        }
        let dropped = room.forwarder.droppedSound
        #expect(dropped.overLimit > number - 500 && dropped.ofOtherSources == 0)
        #expect(dropped.overLimit + room.forwarder.counts.audioPackets / 3 == number)
        // Ordinary sound, at once.
        let before = listeners[0].end.packets.count
        for index in 0..<100 {
            try publisher.speak(number + index, byteCount: 160)
            room.run(.milliseconds(20))
        }
        room.run(.milliseconds(30))
        #expect(listeners[0].end.packets.count - before == 100)
        #expect(room.forwarder.droppedSound == dropped)
        #expect(listeners.allSatisfy { $0.frames.count > 170 })
    }

    @Test func `small packets have a limit of their own`() throws {
        let room = try ForwardNetwork("delay=10ms")
        let publisher = try room.publish("lobby", hasAudio: true)
        let listener = try room.watch("lobby", hasAudio: true)
        room.run(.seconds(1))
        for number in 0..<2000 {
            try publisher.speak(number, byteCount: 1)
            room.run(.milliseconds(1))
        }
        room.run(.milliseconds(30))
        #expect((500...610).contains(listener.end.packets.count), "\(listener.end.packets.count)")
        #expect(room.forwarder.droppedSound.overLimit > 1390)
    }

    @Test func `a second of sound that a network held back passes at once, and Opus at its highest bitrate always`()
        throws
    {
        let room = try ForwardNetwork("delay=10ms")
        let publisher = try room.publish("lobby", hasAudio: true)
        let listener = try room.watch("lobby", hasAudio: true)
        room.run(.seconds(1))
        for number in 0..<50 { try publisher.speak(number, byteCount: 1275) }
        room.run(.seconds(1))
        for number in 50..<550 {
            try publisher.speak(number, byteCount: 1275)
            room.run(.milliseconds(20))
        }
        room.run(.milliseconds(30))
        #expect(listener.end.packets.count == 550, "\(listener.end.packets.count)")
    }

    @Test(arguments: [true, false])
    func `of two sections of sound the first one is forwarded`(hasMID: Bool) throws {
        let room = try ForwardNetwork("delay=10ms")
        let publisher = try room.publish("lobby", audioCount: 2)
        let listener = try room.watch("lobby", hasAudio: true)
        room.run(.seconds(1))
        for number in 0..<50 {
            try publisher.speak(number, of: 77, section: 0, hasMID: hasMID)
            try publisher.speak(20_000 + number, of: 78, section: 1, hasMID: hasMID)
            room.run(.milliseconds(20))
        }
        room.run(.milliseconds(30))
        #expect(try payloads(listener) == Array(repeating: 0, count: 50))
        let numbers = try listener.end.packets.map { try RTPHeader(parsing: $0.span).sequenceNumber.rawValue }
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 &+ 1 })
        let dropped = room.forwarder.droppedSound
        #expect(dropped.ofOtherSections + dropped.ofOtherSources == 50 && dropped.overLimit == 0)
        #expect(!hasMID || dropped.ofOtherSections == 50)
        // The second one alone is not it either, if it says so.
        guard hasMID else { return }
        let before = listener.end.packets.count
        for number in 50..<100 {
            try publisher.speak(20_000 + number, of: 78, section: 1, hasMID: number < 60)
            room.run(.milliseconds(20))
        }
        room.run(.milliseconds(30))
        #expect(listener.end.packets.count == before)
        #expect(room.forwarder.droppedSound.ofOtherSections == 100)
    }

    @Test func `another source of the section goes on where the first one ended`() throws {
        let room = try ForwardNetwork("delay=10ms")
        let publisher = try room.publish("lobby", hasAudio: true)
        let listener = try room.watch("lobby", hasAudio: true)
        room.run(.seconds(1))
        for number in 0..<50 {
            try publisher.speak(number)
            room.run(.milliseconds(20))
        }
        for number in 0..<50 {
            try publisher.speak(9000 + number, of: 99)
            room.run(.milliseconds(20))
        }
        room.run(.milliseconds(30))
        let heard = listener.end.packets.count
        #expect((88...92).contains(heard), "\(heard)")
        #expect(room.forwarder.droppedSound.ofOtherSources == 100 - heard)
        let numbers = try listener.end.packets.map { try RTPHeader(parsing: $0.span).sequenceNumber.rawValue }
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 &+ 1 })
    }

    @Test func `another publisher has a limit, a section and a source of its own`() throws {
        let room = try ForwardNetwork("delay=10ms")
        let first = try room.publish("lobby", hasAudio: true)
        let listener = try room.watch("lobby", hasAudio: true)
        room.run(.seconds(1))
        for number in 0..<400 { try first.speak(number, byteCount: 1000) }
        room.run(.milliseconds(20))
        let second = try room.publish("lobby", hasAudio: true)
        room.run(.milliseconds(100))
        let before = listener.end.packets.count
        for number in 0..<20 { try second.speak(number, of: 5, byteCount: 1000) }
        room.run(.milliseconds(100))
        #expect(listener.end.packets.count == before + 20)
    }
}
