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
        #expect(listener.end.packets.count == 50 && room.forwarder.droppedSound.count == 0)
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
