import RillCore
import RillForward
import RillPeer
import RillPeerSupport
import RillRTP
import RillReceive
import RillSend
import RillTestSupport
import Testing

/// Sound in a room: who is heard, who speaks, and when.
@Suite struct RoomSoundTests {
    /// A room in which some speak, each 20 ms.
    private final class Meeting {
        let room: ForwardNetwork
        private(set) var speakers: [ForwardNetwork.Client] = []

        init(names: [String]) throws {
            room = try ForwardNetwork("delay=20ms")
            for name in names { try join(name) }
            room.run(.seconds(1))
        }

        @discardableResult
        func join(_ name: String, over link: String? = nil) throws -> ForwardNetwork.Client {
            let speaker = try room.join(name, slots: 0, over: link, in: "lobby")
            speakers.append(speaker)
            return speaker
        }

        /// Runs for a while, with a level in dB below overload for each speaker; `nil` for no packet.
        func run(_ milliseconds: Int, _ level: (_ speaker: Int) -> UInt8?) throws {
            for _ in 0..<milliseconds / 20 {
                for (index, speaker) in speakers.enumerated() {
                    guard let attenuation = level(index) else { continue }
                    let peer = speaker.end.peer
                    // Who it is, and when it was said.
                    let bytes = [UInt8(index)] + [UInt8](repeating: 7, count: 59)
                    let stamp = PayloadStamp(
                        captureTime: room.now, level: AudioLevel(attenuation: attenuation, isVoice: true))
                    let number = peer.send(
                        bytes.span, stamp, of: try existing(peer.sendingSounds.first).id, at: room.now)
                    #expect(number != nil)
                }
                room.run(.milliseconds(20))
            }
        }

        /// Whose payloads a listener got in the last while.
        func heard(_ listener: ForwardNetwork.Client, within time: MediaDuration) -> [Int: Int] {
            let recent = listener.end.payloads.filter { room.now - $0.payload.arrival < time }
            return Dictionary(grouping: recent.map { Int($0.bytes[0]) }) { $0 }.mapValues(\.count)
        }

        func want(_ names: [String], _ listener: ForwardNetwork.Client) throws {
            for name in names { try room.forwarder.want(name, StreamWish(.none), for: listener.id, at: room.now) }
        }
    }

    private static let names = ["a", "b", "c", "d", "e", "f"]

    @Test func `Of six the four loudest are heard, and who begins to speak within 100 ms`() throws {
        let meeting = try Meeting(names: Self.names)
        let listener = try meeting.room.join("eve", publishes: false, slots: 0, soundSlots: 4)
        meeting.room.run(.seconds(1))
        try meeting.want(Self.names, listener)
        // Nobody speaks: the first four have the slots.
        try meeting.run(2000) { _ in 75 }
        #expect(Set(meeting.heard(listener, within: .seconds(1)).keys) == [0, 1, 2, 3])
        try meeting.run(120) { $0 == 5 ? 25 : 75 }
        #expect((meeting.heard(listener, within: .milliseconds(100))[5] ?? 0) >= 2)
        try meeting.run(3000) { [1, 2, 4, 5].contains($0) ? 25 : 75 }
        #expect(Set(meeting.heard(listener, within: .seconds(1)).keys) == [1, 2, 4, 5])
        // Who pauses for a moment is not cut off by one who is no louder.
        let before = meeting.room.server.events.count
        try meeting.run(3000) { $0 == 3 ? 75 : 25 }
        #expect(Set(meeting.heard(listener, within: .seconds(1)).keys) == [1, 2, 4, 5])
        #expect(meeting.room.server.events.count == before)
        // One who is much louder is heard.
        try meeting.run(3000) { $0 == 3 ? 10 : 25 }
        #expect(meeting.heard(listener, within: .seconds(1)).keys.contains(3))
        // Each slot is one sound: nothing is missing, and time rises.
        #expect(listener.end.failure == nil)
    }

    @Test func `Who is not wanted any more makes room for the loudest of the others`() throws {
        let meeting = try Meeting(names: ["a", "b", "c"])
        let listener = try meeting.room.join("eve", publishes: false, slots: 0, soundSlots: 1)
        meeting.room.run(.seconds(1))
        try meeting.want(["a", "b", "c"], listener)
        try meeting.run(1000) { [75, 60, 50][$0] }
        #expect(Array(meeting.heard(listener, within: .milliseconds(500)).keys) == [0])
        try meeting.room.forwarder.want("a", nil, for: listener.id, at: meeting.room.now)
        try meeting.run(1000) { [75, 60, 50][$0] }
        #expect(Array(meeting.heard(listener, within: .milliseconds(500)).keys) == [2])
        try meeting.room.forwarder.end(meeting.speakers[2].id, at: meeting.room.now)
        try meeting.room.forwarder.want("c", nil, for: listener.id, at: meeting.room.now)
        try meeting.run(200) { $0 == 2 ? nil : 60 }
        #expect(Array(meeting.heard(listener, within: .milliseconds(100)).keys) == [1])
    }

    @Test func `The room is told who speaks, and levels reach the listeners`() throws {
        let meeting = try Meeting(names: ["a", "b"])
        let listener = try meeting.room.join("eve", publishes: false, slots: 0, soundSlots: 2)
        meeting.room.run(.seconds(1))
        try meeting.want(["a", "b"], listener)
        try meeting.run(3000) { $0 == 0 ? 20 : 80 }
        try meeting.run(3000) { $0 == 1 ? 20 : 80 }
        try meeting.room.forwarder.end(meeting.speakers[1].id, at: meeting.room.now)
        meeting.room.run(.seconds(1))
        let changes: [String?] = meeting.room.server.events.compactMap {
            if case .speakerChanged(room: "lobby", to: let name) = $0.event { name ?? "nobody" } else { nil }
        }
        #expect(changes == ["a", "b", "nobody"])
        let levels = listener.end.payloads.map(\.payload.level?.attenuation)
        #expect(Set(levels) == [20, 80])
    }

    @Test func `A section that sends and receives is published, and a slot`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let members = try ["a", "b"].map { try room.join($0, slots: 0, in: "lobby", isTwoWay: true) }
        room.run(.seconds(1))
        try room.forwarder.want("b", StreamWish(), for: members[0].id, at: room.now)
        try room.forwarder.want("a", StreamWish(), for: members[1].id, at: room.now)
        for number in 0..<100 {
            for member in members { try member.speak(number) }
            room.run(.milliseconds(20))
        }
        room.run(.milliseconds(100))
        for member in members {
            #expect(member.end.payloads.count == 100 && member.frames.count > 40)
            #expect(member.end.peer.negotiator.sections.map(\.direction) == [.sendAndReceive, .sendAndReceive])
        }
    }

    @Test func `One who sends sound alone is a member like others`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let speaker = try room.join("a", cameras: 0, slots: 1, in: "lobby")
        let listener = try room.join("eve", publishes: false, slots: 1, soundSlots: 1)
        room.run(.seconds(1))
        try room.forwarder.want("a", StreamWish(), for: listener.id, at: room.now)
        try speaker.speak(for: 2, in: room)
        room.run(.milliseconds(100))
        #expect(listener.end.payloads.count == 100 && listener.frames.isEmpty)
        #expect(room.forwarder.statistics(at: room.now).map(\.name) == ["a"])
        // The same name again: the newer one takes over with its first payload.
        let again = try room.join("a", cameras: 0, slots: 1, in: "lobby")
        room.run(.seconds(1))
        try again.speak(for: 1, in: room)
        room.run(.milliseconds(100))
        #expect(listener.end.payloads.count == 150 && speaker.end.peer.state == .closed)
    }

    /// The least time from when something was captured, on the forwarder's wall clock, to its arrival.
    private func delay(_ captured: [(wallClock: NTPTimestamp, arrival: MediaTime)]) throws -> Double {
        let delays = captured.map { captured in
            let wallClock = NTPTimestamp.unixEpoch.advanced(byNanoseconds: captured.arrival.nanoseconds)
            return Double(wallClock.nanoseconds(since: captured.wallClock)) / 1e6
        }
        return try existing(delays.min())
    }

    @Test(arguments: [20, 50, 80])
    func `Sound is reported in time with the pictures of its publisher, however late their first frame was`(
        firstDelay: Int
    ) throws {
        let meeting = try Meeting(names: [])
        let publisher = try meeting.join("a", over: "delay=\(firstDelay)ms")
        let listener = try meeting.room.join("eve", publishes: false, slots: 1, soundSlots: 1)
        meeting.room.run(.seconds(1))
        try meeting.room.forwarder.want("a", StreamWish(), for: listener.id, at: meeting.room.now)
        meeting.room.run(.seconds(1))
        #expect(!listener.frames.isEmpty)
        try meeting.room.setLink("delay=20ms", of: publisher.address)
        try meeting.run(12_000) { _ in 40 }
        let session = try existing(listener.end.peer.session)
        let (video, sound) = (listener.end.peer.receivingStreams[0].id, listener.end.peer.receivingSounds[0].id)
        let (pictures, speech) = try (
            existing(session.senderClock(of: video)), existing(session.senderClock(of: sound))
        )
        let shown = try delay(
            listener.frames.suffix(60).map {
                (pictures.wallClock(of: $0.rtpTimestamp), ForwardNetwork.Client.arrival($0))
            })
        let heard = try delay(
            listener.end.payloads.suffix(100).map { (speech.wallClock(of: $0.payload.timestamp), $0.payload.arrival) })
        note("from \(firstDelay) ms on: pictures \(shown) ms, sound \(heard) ms")
        // A frame of two packets is paced.
        #expect(abs(shown - heard) < 6, "\(shown) and \(heard) ms")
    }
}
