import RillCore
import RillLink
import RillPeer
import RillPeerSupport
import RillReceive
import RillTestSupport

@testable import RillForward
@testable import RillSession

/// The members of a room, of whom one leaves and another comes now and then.
final class Crowd {
    enum Kind {
        case usual
        /// On a link of 600 kbit/s.
        case narrow
        /// Sends no feedback for congestion control.
        case withoutFeedback
        /// Its key frames cannot be parsed.
        case unparseable
    }

    /// What is sent to a guest, every 100 ms.
    struct Sample {
        let time: MediaTime
        /// The estimate, in bits per second.
        let estimate: Double
        /// What was sent until then, in bits with all headers: media with repair, and probes.
        let media: Double, probes: Double
        /// What the layers have that it gets, and those of an allocation that knows the estimate, or the link, and does
        /// not wait, in bits per second.
        let used: Double, optimal: Double, ideal: Double
        /// How many low layers the estimate carries with what a rise needs to spare, and how many pictures it gets.
        let carried: Int, shown: Int
    }

    final class Guest {
        let name: String
        let kind: Kind
        let client: ForwardNetwork.Client
        let joined: MediaTime
        var left: MediaTime?
        /// Whom it wants, the first four in high.
        var wanted: [String] = []
        /// When that last changed.
        var changed: MediaTime
        var samples: [Sample] = []
        /// How long its slots waited for key frames.
        var waits: [MediaDuration] = []

        init(_ name: String, _ kind: Kind, _ client: ForwardNetwork.Client, at now: MediaTime) {
            (self.name, self.kind, self.client, joined, changed) = (name, kind, client, now, now)
        }

        /// What was sent in each second, as a share of the highest estimate in it.
        var seconds: [Double] {
            samples.indices.dropFirst(10).map { index in
                let most = samples[index - 10...index].map(\.estimate).max() ?? 0
                return (samples[index].media - samples[index - 10].media) / most
            }
        }

        /// How many pictures it gets of those that the estimate has carried for three seconds.
        var carried: [(shown: Int, carried: Int)] {
            samples.indices.dropFirst(30).map { index in
                let least = samples[index - 30...index].map(\.carried).min() ?? 0
                return (min(samples[index].shown, least), least)
            }
        }

        /// What was sent, and what of probes, in bits.
        var sent: Double { (samples.last?.media ?? 0) - (samples.first?.media ?? 0) }
        var probed: Double { (samples.last?.probes ?? 0) - (samples.first?.probes ?? 0) }

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
    /// The bytes of RTP that left for each address, with the headers of IP and UDP.
    private var departed: [UDPAddress: Int] = [:]
    /// Whose network becomes narrow, and when.
    private var network: [(address: UDPAddress, time: MediaTime)] = []

    static let size = 17
    static let narrowBitrate = 600_000.0

    /// A room of seventeen.
    ///
    /// - Parameters:
    ///   - seed: decides all.
    ///   - loss: of each way, in percent.
    ///   - kinds: of the first ones; the others are usual.
    init(
        seed: UInt64, loss: Int = 2, _ kinds: [Kind] = [.narrow, .narrow, .withoutFeedback, .unparseable]
    ) throws {
        var settings = ForwardSettings()
        settings.seed = seed
        settings.publisherTimeout = .seconds(2)
        room = try ForwardNetwork("delay=20ms,loss=\(loss)%", settings, seed: seed)
        random = SeededGenerator(seed: seed)
        // What leaves the forwarder, of RTP (RFC 5761 §4).
        room.network.isLost = { [unowned self] source, destination, datagram in
            if source == ForwardNetwork.serverAddress, datagram.count > 12, datagram[0] >> 6 == 2,
                !(192...223).contains(datagram[1])
            {
                departed[destination, default: 0] += datagram.count + 28
            }
            return false
        }
        for index in 0..<Crowd.size {
            try come(index < kinds.count ? kinds[index] : .usual)
            try run(100)
        }
    }

    /// Everybody who was ever there.
    var all: [Guest] { guests + gone }

    private func come(_ kind: Kind) throws {
        nameCount += 1
        let name = "guest\(nameCount)"
        let client = try room.join(name, slots: 16, hasFeedback: kind != .withoutFeedback)
        if kind == .narrow {
            // Once it is connected: the lengths of signatures in DTLS are random, and would decide its times.
            network.append((client.address, room.now + .milliseconds(500)))
        }
        client.end.isGarbled = kind == .unparseable
        client.end.keepsDatagrams = false
        let guest = Guest(name, kind, client, at: room.now)
        for slot in room.forwarder.members[client.id]?.slots ?? [] {
            slot.recordWait = { [unowned guest] wait in guest.waits.append(wait) }
        }
        for other in guests {
            try want(other.name, for: guest)
            try want(name, for: other)
        }
        guests.append(guest)
    }

    private func want(_ name: String, for guest: Guest) throws {
        guest.wanted.append(name)
        guest.changed = room.now
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
            other.changed = room.now
            for (place, name) in other.wanted.enumerated() {
                try room.forwarder.want(name, wish(place), for: other.client.id, at: room.now)
            }
        }
        try room.forwarder.end(guest.client.id, at: room.now)
    }

    /// Runs for a while, in which some leave and others come.
    func run(changing duration: MediaDuration) throws {
        let end = room.now + duration
        while room.now < end {
            try run(Int.random(in: 5...15, using: &random) * 100)
            // Those on special networks stay.
            let usual = guests.indices.filter { guests[$0].kind == .usual }
            try leave(usual[Int.random(in: 0..<usual.count, using: &random)])
            try come(.usual)
            changeCount += 1
        }
    }

    /// Runs for some milliseconds, and takes samples.
    func run(_ milliseconds: Int) throws {
        for _ in 0..<milliseconds / 100 {
            room.run(.milliseconds(100))
            while let first = network.first, first.time <= room.now {
                try room.setLink("rate=600k,delay=20ms,queue=200ms,loss=2%", of: first.address)
                network.removeFirst()
            }
            for guest in guests { if let sample = sample(guest) { guest.samples.append(sample) } }
        }
    }

    // MARK: What is measured

    /// What a frame's bytes become on the path.
    private static let overhead = 1.05
    /// The headers of IP, UDP and RTP with an extension, and the tag of SRTP, in bytes.
    private static let packetOverhead = 64

    private func sample(_ guest: Guest) -> Sample? {
        guard let member = room.forwarder.members[guest.client.id], let peer = room.forwarder[guest.client.id],
            peer.state == .connected, let session = peer.session, let allowance = session.allowance(at: room.now)
        else { return nil }
        var probes = 0
        for slot in member.slots {
            guard let counts = session.statistics(of: slot.sending) else { continue }
            probes += counts.paddingBytesSent + counts.paddingPacketsSent * Crowd.packetOverhead
        }
        let media = (departed[guest.client.address] ?? 0) - probes
        var (requests, used): ([LayerAllocator.Request], Double) = ([], 0)
        for (index, slot) in member.slots.enumerated() {
            guard let stream = slot.stream else { continue }
            let live = slot.wish.suitable(of: stream, stream.order) { $0.isLive(at: room.now) }
            let bits = live.map { stream.layers[$0].rates(at: room.now).bits * Crowd.overhead }
            requests.append(
                LayerAllocator.Request(id: index, importance: slot.wish.priority, bitrates: bits, current: nil))
            if let current = slot.current { used += stream.layers[current].rates(at: room.now).bits * Crowd.overhead }
        }
        func best(_ space: Double) -> Double {
            zip(requests, LayerAllocator.share(space, among: requests)).reduce(0) { sum, one in
                sum + (one.1.map { one.0.bitrates[$0] } ?? 0)
            }
        }
        let estimate = Double(allowance.bitrate.bitsPerSecond)
        var (left, carried) = (estimate / 1.15, 0)
        for bits in requests.compactMap(\.bitrates.last).sorted() where bits <= left {
            (left, carried) = (left - bits, carried + 1)
        }
        return Sample(
            time: room.now, estimate: estimate, media: 8 * Double(media), probes: 8 * Double(probes), used: used,
            optimal: best(estimate), ideal: best(guest.kind == .narrow ? Crowd.narrowBitrate : 1e9), carried: carried,
            shown: member.slots.count { $0.current != nil })
    }

    /// How many large pictures a guest is sent.
    func largeCount(_ guest: Guest) -> Int {
        room.forwarder.members[guest.client.id]?.slots.count { slot in
            slot.current.flatMap { slot.stream?.layers[$0].resolution?.width } == 640
        } ?? 0
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
