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
            let bits = listener.end.payloads.reduce(0) { $0 + 8 * $1.bytes.count }
            note("\(bits / seconds / 1000) kbit/s reached a listener")
            #expect(bits <= 512_000 * (seconds + 1) + 8000 && bits > 512_000 * (seconds - 1))
        }
        let dropped = room.forwarder.droppedSoundPackets
        #expect(dropped > number - 500)
        #expect(dropped + room.forwarder.counts.audioPackets / 3 == number)
        // Ordinary sound, at once.
        let before = listeners[0].end.payloads.count
        for index in 0..<100 {
            try publisher.speak(number + index, byteCount: 160)
            room.run(.milliseconds(20))
        }
        room.run(.milliseconds(30))
        #expect(listeners[0].end.payloads.count - before == 100)
        #expect(room.forwarder.droppedSoundPackets == dropped)
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
        #expect((500...610).contains(listener.end.payloads.count), "\(listener.end.payloads.count)")
        #expect(room.forwarder.droppedSoundPackets > 1390)
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
        #expect(listener.end.payloads.count == 550, "\(listener.end.payloads.count)")
    }

    @Test(arguments: [2, 3, 5])
    func `of several sections of sound the first one is forwarded, and the others are rejected`(count: Int) throws {
        let room = try ForwardNetwork("delay=10ms")
        let publisher = try room.publish("lobby", audioCount: count)
        let answer = try existing(publisher.end.peer.negotiator.remoteDescription)
        #expect(answer.media.map { $0.port == 0 } == [false, false] + Array(repeating: true, count: count - 1))
        let listener = try room.watch("lobby", hasAudio: true)
        room.run(.seconds(1))
        let rejections = (2...count).map {
            SectionRejection(index: $0, mid: "\($0)", reason: .tooManySections(.audio, limit: 1))
        }
        let session = ForwardSession(id: publisher.id, stream: "lobby", isPublisher: true)
        #expect(room.server.events.first?.event == .sectionsRejected(session, rejections))
        #expect("\(rejections[0])" == "section 2, mid \"2\": this side takes audio of 1 earlier section only")
        #expect(publisher.end.peer.negotiator.sections.map(\.kind) == [.video, .audio])
        try publisher.speak(for: 1, in: room)
        room.run(.milliseconds(30))
        #expect(listener.end.payloads.count == 50 && room.forwarder.droppedSoundPackets == 0)
    }

    @Test func `a sound that is not sent does not count`() throws {
        let room = try ForwardNetwork("delay=10ms")
        let publisher = try room.publish("lobby", audioCount: 2) { offer in
            guard let audio = offer.firstRange(of: "m=audio")?.lowerBound else { return offer }
            return String(offer[..<audio])
                + offer[audio...].replacing("a=sendonly", with: "a=inactive", maxReplacements: 1)
        }
        room.run(.seconds(1))
        let answer = try existing(publisher.end.peer.negotiator.remoteDescription)
        #expect(answer.media.map { $0.port == 0 } == [false, false, false])
        #expect(!room.server.events.contains { if case .sectionsRejected = $0.event { true } else { false } })
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
        let heard = listener.end.payloads.count
        // The first one may have paused: half a second of silence ends it.
        #expect((73...77).contains(heard), "\(heard)")
        let session = try existing(room.forwarder[publisher.id]?.session)
        #expect(session.statistics.transport.packetsOfUnknownSources == 100 - heard)
        let numbers = listener.end.payloads.map(\.payload.sequenceNumber)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
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
        let before = listener.end.payloads.count
        for number in 0..<20 { try second.speak(number, of: 5, byteCount: 1000) }
        room.run(.milliseconds(100))
        #expect(listener.end.payloads.count == before + 20)
    }
}
