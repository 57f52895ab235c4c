import RillCore
import RillForward
import RillLink
import RillPeer
import RillPeerSupport
import RillRTP
import RillSession
import RillTestSupport

/// A forwarder, publishers and viewers on a network in virtual time. Signaling takes no time.
final class ForwardNetwork {
    let server: ForwarderEnd
    let network: VirtualNetwork
    private var count: UInt32 = 0

    static let serverAddress = UDPAddress(.v4(0xC000_0201), port: 5004)
    static let certificates = (server: certificate(), client: certificate())

    private static func certificate() -> DTLSCertificate {
        do { return try DTLSCertificate(wallClock: 1_800_000_000) } catch { preconditionFailure("\(error)") }
    }

    /// A publisher or a viewer.
    struct Client {
        let id: ICEPeerID
        let end: PeerEnd
        let address: UDPAddress
    }

    init(_ link: String = "delay=20ms", _ settings: ForwardSettings = ForwardSettings(), seed: UInt64 = 1) throws {
        network = VirtualNetwork(try LinkSettings(notation: link).seeded(seed))
        var settings = settings
        // Far from the seeds of clients: those with the same one have the same SSRC.
        settings.seed = settings.seed ?? seed &+ 1 << 32
        server = ForwarderEnd(StreamForwarder(settings, certificate: ForwardNetwork.certificates.server))
        server.forwarder.addLocalCandidate(ForwardNetwork.serverAddress)
        network.add(server, at: [ForwardNetwork.serverAddress])
    }

    var forwarder: StreamForwarder { server.forwarder }
    var now: MediaTime { network.now }

    /// A layer of 30 frames a second, and one of 5.
    static let layers = [SendingEncoding(rid: "high"), SendingEncoding(rid: "low")]

    /// A single layer without a name.
    static let single = [SendingEncoding()]

    /// Somebody publishes, and films as soon as they are connected.
    func publish(
        _ name: String, _ layers: [SendingEncoding] = layers, codecs: [VideoCodec] = [.vp8],
        videoCount: Int = 1, audioCount: Int = 0, hasAudio: Bool = false, over link: String? = nil,
        from asker: ForwardClient = ForwardClient(), replacing condition: PublishCondition = .always,
        films: Bool = true, isPausable: Bool = true, offering change: (String) -> String = { $0 }
    ) throws -> Client {
        var transceiver = TransceiverSettings(.video, .sendOnly)
        transceiver.sending = layers
        let count = hasAudio ? 1 : audioCount
        let audio = Array(repeating: TransceiverSettings(.audio, .sendOnly), count: count)
        let video = Array(repeating: transceiver, count: videoCount)
        let client = try connect(video + audio, codecs, isPausable: isPausable, over: link) { offer in
            try forwarder.publish(name, offer: change(offer), from: asker, condition, at: now)
        }
        network.run(until: now + .seconds(5)) { client.end.peer.state == .connected }
        if films { client.end.film(from: now) }
        return client
    }

    /// Somebody watches.
    func watch(
        _ name: String, codecs: [VideoCodec] = [.vp8, .vp9], hasAudio: Bool = false, hasFeedback: Bool = true,
        over link: String? = nil, from asker: ForwardClient = ForwardClient(), isOpaque: Bool = false,
        offering change: (String) -> String = { $0 }
    ) throws -> Client {
        let kinds: [MediaDescription.Kind] = hasAudio ? [.video, .audio] : [.video]
        let transceivers = kinds.map { TransceiverSettings($0, .receiveOnly) }
        return try connect(transceivers, codecs, hasFeedback: hasFeedback, isOpaque: isOpaque, over: link) { offer in
            try forwarder.watch(name, offer: change(offer), from: asker, at: now)
        }
    }

    /// Somebody joins: publishes, films as soon as they are connected, and has slots.
    func join(
        _ name: String, publishes: Bool = true, _ layers: [SendingEncoding] = layers, cameras: Int = 1, slots: Int = 4,
        soundSlots: Int = 0, codecs: [VideoCodec] = [.vp8, .vp9], over link: String? = nil,
        from asker: ForwardClient = ForwardClient(), in place: String? = nil, hasFeedback: Bool = true,
        isTwoWay: Bool = false
    ) throws -> Client {
        let direction = isTwoWay ? MediaDirection.sendAndReceive : .sendOnly
        var camera = TransceiverSettings(.video, direction)
        camera.sending = layers
        var transceivers =
            publishes ? Array(repeating: camera, count: cameras) + [TransceiverSettings(.audio, direction)] : []
        transceivers += Array(repeating: TransceiverSettings(.video, .receiveOnly), count: slots)
        transceivers += Array(repeating: TransceiverSettings(.audio, .receiveOnly), count: soundSlots)
        let client = try connect(transceivers, codecs, hasFeedback: hasFeedback, over: link) { offer in
            try forwarder.join(name, offer: offer, from: asker, in: place, at: now)
        }
        // 480 and 45 kbit/s.
        client.end.smallFrameByteCount = (key: 3000, delta: 1125)
        client.end.film(from: now)
        return client
    }

    private func connect(
        _ transceivers: [TransceiverSettings], _ codecs: [VideoCodec], hasFeedback: Bool = true,
        isPausable: Bool = true, isOpaque: Bool = false, over link: String?,
        _ signal: (String) throws -> (id: ICEPeerID, answer: SessionDescription)
    ) throws -> Client {
        count += 1
        let address = UDPAddress(.v4(0x0A00_0000 + count), port: 4000)
        if let link { try setLink(link, of: address) }
        var settings = PeerConnectionSettings(seed: UInt64(count))
        settings.negotiation.videoCodecs = codecs
        settings.isOpaque = isOpaque
        if !hasFeedback {
            settings.negotiation.feedback.subtract([.transportWideCongestionControl, .congestionControlFeedback])
        }
        // Browsers follow no requests to pause.
        if !isPausable { settings.negotiation.feedback.remove(.pause) }
        let peer = PeerConnection(
            .controlling, certificate: ForwardNetwork.certificates.client, settings: settings,
            using: SeededGenerator(seed: UInt64(count) &* 91))
        try peer.addLocalCandidate(address)
        for transceiver in transceivers { try peer.change { _ = try $0.addTransceiver(transceiver) } }
        let offer = try peer.offer(at: now).text
        let (id, answer) = try signal(offer)
        try peer.setRemote(.answer, answer.text, at: now)
        let end = PeerEnd(peer)
        network.add(end, at: [address])
        return Client(id: id, end: end, address: address)
    }

    /// Gives an address a link of its own, from now on.
    func setLink(_ link: String, of address: UDPAddress) throws {
        let link = try LinkSettings(notation: link)
        let others = network.special
        network.special = { source, destination in
            source == address || destination == address ? link : others(source, destination)
        }
        network.renewLinks(of: address)
    }

    func run(_ duration: MediaDuration) { network.run(until: now + duration) }
}

/// A forwarder whose events are kept.
final class ForwarderEnd: NetworkEnd {
    let forwarder: StreamForwarder
    private(set) var events: [(time: MediaTime, event: ForwardEvent)] = []
    /// How late its thread takes datagrams: they arrived so much earlier. While more is left out than the limit, it is
    /// in time.
    var lateness = MediaDuration.zero
    var latenessLimit: OverloadLevel?
    private var bytes: [UInt8] = []

    init(_ forwarder: StreamForwarder) { self.forwarder = forwarder }

    func take(_ datagram: Span<UInt8>, on path: ICEPath, at now: MediaTime) {
        var bytes = datagram.array
        var span = bytes.mutableSpan
        let isLate = latenessLimit.map { forwarder.overload < $0 } ?? true
        forwarder.insert(&span, on: path, at: now, arrival: isLate ? now - lateness : now)
    }

    func advance(to now: MediaTime, transmit: (ICEPath, [UInt8]) -> Void) -> MediaTime {
        for _ in 0..<1_000_000 {
            switch forwarder.poll(at: now, into: &bytes) {
            case .transmit(on: let path): transmit(path, bytes)
            case .event(let event): events.append((now, event))
            case .wait(until: let time):
                precondition(time > now, "the forwarder waits until \(time), and it is \(now)")
                return time
            }
        }
        preconditionFailure("polling does not come to an end")
    }
}

extension ForwardNetwork.Client {
    /// What was to be decoded, in order.
    var frames: [ReceivedFrame] { end.decoded.values.flatMap(\.self) }

    /// When a frame was complete here.
    static func arrival(_ frame: ReceivedFrame) -> MediaTime { frame.frame.timestamps[.assembled] ?? .zero }

    /// How many key frames were asked for, of all streams.
    var keyFrameRequests: Int { end.keyFrameRequests.values.reduce(0, +) }

    /// How often this side asked for a key frame.
    var ownRequests: Int {
        end.peer.receivingStreams.reduce(0) { $0 + (end.peer.session?.statistics(of: $1.id)?.pliCount ?? 0) }
    }

    /// Frames of the 160x120 layer, and others.
    var lowFrames: [ReceivedFrame] { frames.filter { $0.frame.resolution.width == 160 } }
    var highFrames: [ReceivedFrame] { frames.filter { $0.frame.resolution.width != 160 } }
}

// MARK: Sound

extension ForwardNetwork.Client {
    /// Sends a packet of sound.
    ///
    /// - Parameters:
    ///   - number: its number; its timestamp follows from it.
    ///   - ssrc: its source.
    ///   - byteCount: the bytes of its payload.
    /// - Returns: whether it was taken.
    @discardableResult
    func speak(
        _ number: Int, of ssrc: UInt32 = 77, byteCount: Int = 80
    ) throws -> Bool {
        let section = end.peer.negotiator.sections.first { $0.kind == .audio }
        let stream = try existing(section?.sending.first)
        var bytes: [UInt8] = [0x80, stream.payloadType.rawValue]
        for shift in [8, 0] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: (number * 960) >> shift)) }
        for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: ssrc >> shift)) }
        bytes += [UInt8](repeating: 0, count: byteCount)
        return end.peer.send(packet: bytes.span)
    }

    /// Sends 50 packets of sound a second.
    func speak(for seconds: Int, in room: ForwardNetwork, from first: Int = 0) throws {
        for number in 0..<50 * seconds {
            try speak(first + number)
            room.run(.milliseconds(20))
        }
    }
}
