import RillCore
import RillRooms
import RillTestSupport
import Testing

@Suite("What members and hosts do")
struct CommandTests {
    private let desk = Desk()
    private let host: Guest
    private let ben: Guest

    init() throws {
        desk.grants = ["host": RoomGrant(identity: "host", role: .host)]
        host = try desk.join(token: "host", name: "Hanna")
        ben = try desk.join(name: "Ben")
        _ = desk.take(host.channel)
    }

    private func benNow() -> Participant? { desk.rooms.state(of: "lobby")?[ben.uid] }

    @Test func `Publishing, muting, the first picture and unpublishing are events, each once`() throws {
        for _ in 0..<2 { desk.ask(.publish(.video, mid: "1", isMuted: false), on: ben.channel) }
        for _ in 0..<2 { desk.ask(.mute(.video, of: nil), on: ben.channel) }
        for _ in 0..<2 { desk.ask(.unmute(.video), on: ben.channel) }
        let member = try #require(desk.media.last?.member)
        // Of one layer nothing tells the size, of the next one it is known.
        for size in [nil, nil, 640, 320] {
            desk.rooms.firstPicture(.video, of: member, width: size, height: size, at: desk.now)
        }
        desk.ask(.unpublish(.video, of: nil), on: ben.channel)
        #expect(
            desk.events(host.channel) == [
                .published(ben.uid, .video, isMuted: false), .muted(ben.uid, .video, by: ben.uid),
                .unmuted(ben.uid, .video), .firstPicture(ben.uid, .video, width: nil, height: nil),
                .firstPicture(ben.uid, .video, width: 640, height: 640), .unpublished(ben.uid, .video),
            ])
        #expect(desk.refusal(of: .mute(.video, of: nil), on: ben.channel) == .notPublished(.video))
        #expect(desk.takeMedia().count == 5)
    }

    @Test func `A host mutes, unpublishes, and lets nobody unmute who lost the right`() {
        desk.ask(.publish(.sound, mid: "1", isMuted: false), on: ben.channel)
        desk.ask(.mute(.sound, of: ben.uid), on: host.channel)
        #expect(desk.events(ben.channel).last == .muted(ben.uid, .sound, by: host.uid))
        desk.ask(.rights(ben.uid, [.subscribe, .chat]), on: host.channel)
        #expect(
            desk.events(ben.channel) == [
                .unpublished(ben.uid, .sound), .roleChanged(ben.uid, .speaker, [.subscribe, .chat]),
            ])
        #expect(desk.refusal(of: .unmute(.sound), on: ben.channel) == .notAllowed(.sound))
    }

    @Test func `Nobody but hosts moderates`() {
        for command: RoomCommand in [
            .mute(.sound, of: host.uid), .unpublish(.video, of: host.uid), .remove(host.uid), .lock(true), .close,
            .role(host.uid, .viewer), .rights(host.uid, []), .role(ben.uid, .host),
        ] {
            #expect(desk.refusal(of: command, on: ben.channel) == .notAllowed(.moderate), "\(command)")
        }
        #expect(desk.refusal(of: .remove(99), on: host.channel) == .unknownParticipant(99))
    }

    @Test func `A speaker that becomes a viewer is offline for others' tiles, and stays in the room`() {
        desk.ask(.publish(.video, mid: "1", isMuted: false), on: ben.channel)
        _ = desk.events(host.channel)
        desk.ask(.role(ben.uid, .viewer), on: ben.channel)
        #expect(
            desk.events(host.channel) == [
                .offline(ben.uid, .becameViewer), .roleChanged(ben.uid, .viewer, [.subscribe, .chat]),
            ])
        #expect(benNow()?.role == .viewer && benNow()?.published == [])
        // Back to what its token allows, but not after a host's decision.
        #expect(desk.refusal(of: .role(ben.uid, .speaker), on: ben.channel) == nil)
        desk.ask(.role(ben.uid, .viewer), on: host.channel)
        #expect(desk.refusal(of: .role(ben.uid, .speaker), on: ben.channel) == .notAllowed(.moderate))
    }

    @Test func `A locked room lets hosts in, and a closed one ends`() throws {
        desk.ask(.lock(true), on: host.channel)
        #expect(desk.refusal(of: .join(JoinRequest(room: "lobby", name: "X")), on: desk.open()) == .locked)
        #expect(try desk.join(token: "host").uid == host.uid)
        let again = try desk.resume(ben)
        desk.ask(.lock(false), on: again.guest.channel)
        let hosts = try desk.join(token: "host")
        desk.ask(.close, on: hosts.channel)
        #expect(desk.take(again.guest.channel).suffix(2).last == .bye(.closed))
        #expect(desk.rooms.names == [])
    }

    @Test func `Wants reach media once there is something, in whatever order they come`() {
        let want = Want(.low, of: ben.uid)
        desk.ask(.want(want), on: host.channel)
        #expect(desk.takeMedia() == [])
        desk.ask(.publish(.video, mid: "1", isMuted: false), on: ben.channel)
        #expect(desk.takeMedia() == [.publish(.video, mid: "1", isMuted: false), .want(want)])
        let other = Want(.shown(width: 320, height: 180), of: ben.uid)
        desk.ask(.want(other), on: host.channel)
        #expect(desk.takeMedia() == [.want(other)])
    }

    @Test func `A member wants so many things, those of people who are gone counted last`() {
        for uid in 1...70 as ClosedRange<UInt32> { desk.ask(.want(Want(of: UID(rawValue: uid))), on: host.channel) }
        #expect(desk.rooms.statistics.refusals == [:])
        #expect(desk.rooms.statistics.entryCount < 100)
    }

    @Test func `Slots are told to whom they concern, and again when it comes back`() throws {
        desk.ask(.publish(.video, mid: "1", isMuted: false), on: ben.channel)
        let member = try #require(desk.media.last?.member)
        let slot = SlotState(mid: "2", uid: host.uid, kind: .video, layer: "low", isPaused: false)
        _ = desk.take(host.channel)
        _ = desk.take(ben.channel)
        desk.rooms.setSlot(slot, of: member, at: desk.now)
        desk.pump()
        #expect(desk.take(ben.channel) == [.slot(slot)] && desk.take(host.channel) == [])
        #expect(try desk.resume(ben).guest.welcome.slots == [slot])
    }

    @Test func `A layer that nobody wants is told to its publisher, and again when it comes back`() throws {
        desk.ask(.publish(.video, mid: "1", isMuted: false), on: ben.channel)
        let member = try #require(desk.media.last?.member)
        let rests = LayerInterest(.video, layer: "high", isWanted: false)
        _ = desk.take(host.channel)
        _ = desk.take(ben.channel)
        desk.rooms.setInterest(rests, of: member, at: desk.now)
        desk.pump()
        #expect(desk.take(ben.channel) == [.layer(rests)] && desk.take(host.channel) == [])
        var back = try desk.resume(ben)
        #expect(back.rest.last == .layer(rests))
        let goesOn = LayerInterest(.video, layer: "high", isWanted: true)
        desk.rooms.setInterest(goesOn, of: member, at: desk.now)
        desk.pump()
        #expect(desk.take(back.guest.channel) == [.layer(goesOn)])
        back = try desk.resume(back.guest)
        #expect(!back.rest.contains { if case .layer = $0 { true } else { false } })
    }

    @Test func `Speakers are events, levels are not`() {
        desk.rooms.setSpeaker(ben.uid, in: "lobby", at: desk.now)
        desk.rooms.setSpeaker(ben.uid, in: "lobby", at: desk.now)
        desk.rooms.setSpeaker(99, in: "lobby", at: desk.now)
        desk.rooms.setLevels([SoundLevel(ben.uid, level: 12)], in: "lobby", at: desk.now)
        desk.pump()
        let messages = desk.take(host.channel)
        #expect(messages.count == 2 && messages.last == .levels([SoundLevel(ben.uid, level: 12)]))
        desk.ask(.leave, on: ben.channel)
        #expect(desk.rooms.state(of: "lobby")?.speaker == nil)
    }

    @Test func `Rows 29 and 32: App data has limits, and who sends too much is told how much was missed`() throws {
        let send = { (count: Int, byteCount: Int) in
            RoomCommand.data(count: count, to: host.uid, text: String(repeating: "x", count: byteCount))
        }
        #expect(desk.refusal(of: send(1, 1001), on: ben.channel) == .tooLarge(field: "text", limit: 1000))
        #expect(desk.refusal(of: send(1, 0), on: ben.channel)?.code == .malformed)
        #expect(desk.refusal(of: .data(count: 1, to: 99, text: "x"), on: ben.channel) == .unknownParticipant(99))
        // 1000 bytes of any script, as they were sent.
        let text = String(repeating: "\u{1F600}", count: 100) + String(repeating: "\u{5E9}\u{200F}", count: 120)
        #expect(text.utf8.count == 1000)
        _ = desk.take(host.channel)
        desk.ask(.data(count: 1, to: host.uid, text: text), on: ben.channel)
        guard case .data(count: _, from: ben.uid, sequence: 1, text: text, missed: 0) = desk.take(host.channel).first
        else { throw TestFailure("no data") }
        desk.pass(.seconds(1))
        for count in 2...61 { #expect(desk.refusal(of: send(count, 10), on: ben.channel) == nil) }
        let wait = MediaDuration.milliseconds(17)
        #expect(desk.refusal(of: send(62, 10), on: ben.channel) == .tooFast(limit: 60, retryAfter: wait, missed: 1))
        #expect(desk.refusal(of: send(62, 10), on: ben.channel) == .tooFast(limit: 60, retryAfter: wait, missed: 2))
        desk.pass(wait)
        #expect(desk.refusal(of: send(62, 10), on: ben.channel) == nil)
        desk.pass(.seconds(1))
        for count in 63...92 { #expect(desk.refusal(of: send(count, 1000), on: ben.channel) == nil) }
        #expect(desk.refusal(of: send(93, 1000), on: ben.channel)?.code == .tooFast)
    }

    @Test func `A receiver that acknowledges nothing gets 256 kB, and its senders are told`() {
        var (count, refusal) = (0, RoomError?.none)
        while refusal == nil, count < 500 {
            count += 1
            desk.pass(.milliseconds(40))
            desk.ask(.alive(number: 0, count: 0), on: host.channel)
            refusal = desk.refusal(
                of: .data(count: count, to: host.uid, text: String(repeating: "x", count: 1000)), on: ben.channel)
        }
        #expect(refusal == .recipientFull(host.uid, missed: 1))
        #expect(count == 263)
        #expect(desk.refusal(of: .data(count: count, to: nil, text: "to all"), on: ben.channel) == nil)
    }
}
