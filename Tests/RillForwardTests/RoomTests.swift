import RillCore
import RillForward
import RillLink
import RillPeer
import RillPeerSupport
import RillReceive
import RillTestSupport
import Testing

/// Seventeen people who come and go, on networks that lose packets and are too narrow, in virtual time.
@Suite struct RoomTests {
    /// With --all fifty seeds of ten minutes.
    private static let seeds: ClosedRange<UInt64> = isLongRun ? 1...50 : 1...3
    private static let duration = MediaDuration.seconds(isLongRun ? 600 : 30)

    @Test(arguments: seeds)
    func `Everybody sees whole pictures of whom they want, as far as their network carries them`(seed: UInt64) throws {
        let crowd = try Crowd(seed: seed)
        try crowd.run(RoomTests.duration)
        var asked = 0
        for guest in crowd.guests + crowd.gone {
            let name = "\(guest.name), seed \(seed)"
            #expect(guest.left != nil || guest.client.end.failure == nil, "\(name)")
            #expect(guest.undecodableFrames == 0, "\(name): \(guest.undecodableFrames) of \(guest.client.frames.count)")
            // A publisher is asked for a key frame of a layer at most once a second.
            let most = Int((guest.left ?? crowd.room.now).seconds - guest.joined.seconds) + 2
            for (stream, count) in guest.client.end.keyFrameRequests {
                #expect(count <= most, "\(name), \(stream): \(count) in \(most) s")
                asked += count
            }
        }
        #expect(crowd.changeCount > 10 && asked > 100, "\(crowd.changeCount), \(asked)")
        for guest in crowd.guests where crowd.room.now - guest.joined > .seconds(10) {
            let shown = crowd.shown(guest)
            let wanted = crowd.wanted(guest)
            switch guest.kind {
            case .usual, .unparseable:
                #expect(shown.high >= wanted.high - 1, "\(guest.name), seed \(seed): \(shown) of \(wanted)")
                #expect(shown.high + shown.low >= wanted.high + wanted.low - 2, "\(guest.name): \(shown) of \(wanted)")
            case .narrow:
                // 600 kbit/s carry at most twelve of the sixteen. The large layer of the guest without feedback may be
                // as cheap as small ones.
                #expect(shown.high <= 1 && shown.high + shown.low >= 5, "\(guest.name), seed \(seed): \(shown)")
            case .withoutFeedback:
                // With reports alone, chance losses of 2 % may keep the rate where it starts.
                #expect(shown.high + shown.low >= 3, "\(guest.name), seed \(seed): \(shown)")
            }
        }
    }
}

/// The members of a room, of whom one leaves and another comes now and then.
private final class Crowd {
    enum Kind {
        case usual
        /// On a link of 600 kbit/s.
        case narrow
        /// Sends no feedback for congestion control.
        case withoutFeedback
        /// Its key frames cannot be parsed.
        case unparseable
    }

    final class Guest {
        let name: String
        let kind: Kind
        let client: ForwardNetwork.Client
        let joined: MediaTime
        var left: MediaTime?
        /// Whom it wants, the first four in high.
        var wanted: [String] = []

        init(_ name: String, _ kind: Kind, _ client: ForwardNetwork.Client, at now: MediaTime) {
            (self.name, self.kind, self.client, joined) = (name, kind, client, now)
        }

        /// Frames that refer to others that did not come.
        var undecodableFrames: Int {
            client.end.decoded.values.reduce(0) { count, frames in
                var known: Set<Int64> = []
                return frames.map(\.frame).reduce(count) { count, frame in
                    known.insert(frame.number)
                    let isWhole =
                        frame.isKey || (0..<frame.references.count).allSatisfy { known.contains(frame.references[$0]) }
                    return isWhole ? count : count + 1
                }
            }
        }
    }

    let room: ForwardNetwork
    private(set) var guests: [Guest] = []
    private(set) var gone: [Guest] = []
    private(set) var changeCount = 0
    private var random: SeededGenerator
    private var nameCount = 0

    static let size = 17

    init(seed: UInt64) throws {
        var settings = ForwardSettings()
        settings.seed = seed
        settings.publisherTimeout = .seconds(2)
        room = try ForwardNetwork("delay=20ms,loss=2%", settings, seed: seed)
        random = SeededGenerator(seed: seed)
        let kinds: [Kind] = [.narrow, .narrow, .withoutFeedback, .unparseable]
        for index in 0..<Crowd.size {
            try come(index < kinds.count ? kinds[index] : .usual)
            room.run(.milliseconds(50))
        }
    }

    private func come(_ kind: Kind) throws {
        nameCount += 1
        let name = "guest\(nameCount)"
        let link = kind == .narrow ? "rate=600k,delay=20ms,queue=200ms,loss=2%" : nil
        let client = try room.join(name, slots: 16, over: link, hasFeedback: kind != .withoutFeedback)
        client.end.isGarbled = kind == .unparseable
        let guest = Guest(name, kind, client, at: room.now)
        for other in guests {
            try want(other.name, for: guest)
            try want(name, for: other)
        }
        guests.append(guest)
    }

    private func want(_ name: String, for guest: Guest) throws {
        guest.wanted.append(name)
        try room.forwarder.want(name, wish(guest.wanted.count - 1), for: guest.client.id, at: room.now)
    }

    private func wish(_ place: Int) -> StreamWish {
        place < 4 ? StreamWish(.high, priority: 4 - place) : StreamWish(.low)
    }

    private func leave(_ index: Int) throws {
        let guest = guests.remove(at: index)
        guest.left = room.now
        gone.append(guest)
        for other in guests {
            try room.forwarder.want(guest.name, nil, for: other.client.id, at: room.now)
            other.wanted.removeAll { $0 == guest.name }
            for (place, name) in other.wanted.enumerated() {
                try room.forwarder.want(name, wish(place), for: other.client.id, at: room.now)
            }
        }
        try room.forwarder.end(guest.client.id, at: room.now)
    }

    func run(_ duration: MediaDuration) throws {
        let end = room.now + duration
        while room.now < end {
            room.run(.milliseconds(Int.random(in: 500...1500, using: &random)))
            // Those on special networks stay.
            let usual = guests.indices.filter { guests[$0].kind == .usual }
            try leave(usual[Int.random(in: 0..<usual.count, using: &random)])
            try come(.usual)
            changeCount += 1
        }
        room.run(.seconds(5))
    }

    /// How many pictures of each size a guest saw in the last two seconds.
    func shown(_ guest: Guest) -> (high: Int, low: Int) {
        let widths = guest.client.end.decoded.values.compactMap { frames in
            frames.last { room.now - ForwardNetwork.Client.arrival($0) < .seconds(2) }?.frame.resolution.width
        }
        return (widths.count { $0 == 640 }, widths.count { $0 == 160 })
    }

    /// How many it wants whose frames can be parsed.
    func wanted(_ guest: Guest) -> (high: Int, low: Int) {
        let usable = guest.wanted.enumerated().filter { _, name in
            guests.contains { $0.name == name && $0.kind != .unparseable }
        }
        return (usable.count { $0.offset < 4 }, usable.count { $0.offset >= 4 })
    }
}
