#if Server
import Rill
import RillContainers
import RillCore
import RillPeer
import RillReceive
import RillRTP
import RillRooms
import RillSession

/// What bots send and receive, and with what they make their connections.
struct BotMediaSettings {
    let clip: CodedClip
    let sound: OpusPackets?
    /// How many pictures are received at a time.
    let slots: Int
    let bitrate: Bitrate
    let certificate: DTLSCertificate
    /// Whether they decode the pictures that they receive.
    let decodes: Bool
    /// The wall clock at the clock's zero.
    let wallClockAtZero: Int64
    /// The sounds that are received at a time.
    static let soundSlots = 4
}

/// The media of a bot: one connection at a time, the clip's layers, and what it receives.
///
/// It has no thread, clock or socket, and one owner.
final class BotMedia {
    enum Action {
        case transmit(on: ICEPath)
        /// A frame came that can be decoded: of somebody, or of a slot that is not known yet.
        case picture(of: UID?)
        case stateChanged(PeerConnectionState)
        case wait(until: MediaTime)
    }

    private let settings: BotMediaSettings
    private(set) var frames: BotFrames
    /// The bot's place among all, which scatters what they send.
    private let place: Int
    private let addresses: [(address: UDPAddress, socket: Int)]
    private var peer: PeerConnection?
    private var players: [SendingStreamID: (layer: StreamLayer.RID, player: ClipPlayer)] = [:]
    private var sound: SoundPlayer?
    private var mids: [ReceivingStreamID: String] = [:]
    var slots = BotSlots()
    /// Whether it publishes now.
    var isPublishing = false
    private(set) var counts = Counts()

    /// What was sent, and how often something was negotiated.
    struct Counts {
        var framesSent: [StreamLayer.RID: Int] = [:]
        var framesLeftOut = 0
        var keyFrameRequests = 0
        var soundSent = 0
        /// Offers of a new connection, and of another path.
        var offers = 0
        var restarts = 0
    }

    init(
        _ settings: BotMediaSettings, _ encryption: FrameEncryption?, place: Int,
        at addresses: [(address: UDPAddress, socket: Int)]
    ) {
        (self.settings, self.place, self.addresses) = (settings, place, addresses)
        frames = BotFrames(encryption, decodes: settings.decodes)
    }

    /// Key frames that were requested of what is received now.
    var requests: Int { peer?.session?.statistics.receiving.reduce(0) { $0 + $1.stream.pliCount } ?? 0 }

    /// The sections (`mid`) that send, by what they send.
    var sendingMids: [MediaKind: String] {
        var mids: [MediaKind: String] = [:]
        for transceiver in peer?.negotiator.transceivers ?? [] where transceiver.direction == .sendOnly {
            mids[transceiver.kind == .audio ? .sound : .video] = transceiver.mid
        }
        return mids
    }

    // MARK: Offer and answer

    /// Makes an offer: of another path for the connection that there is, or of a new one.
    func offer(restarts: Bool, at now: MediaTime) throws(PeerError) -> String {
        if restarts, let peer, peer.state != .closed {
            // An offer that is not answered any more: another one takes its place.
            if peer.negotiator.signalingState == .haveLocalOffer { try peer.rollback(at: now) }
            counts.restarts += 1
            return try peer.offer(restartsICE: true, at: now).text
        }
        var connection = PeerConnectionSettings()
        connection.wallClockAtZero = .unixEpoch.advanced(byNanoseconds: settings.wallClockAtZero)
        connection.negotiation.videoCodecs = VideoCodec.allCases
        // A coded clip cannot follow an estimate; it begins with what it needs, and leaves frames out below that.
        var congestion = CongestionSettings(bitrates: .kilobits(30)...settings.bitrate * 4)
        (congestion.startBitrate, congestion.bitrateWithoutFeedback) = (settings.bitrate * 2, settings.bitrate * 2)
        connection.congestion = congestion
        let peer = PeerConnection(.controlling, certificate: settings.certificate, settings: connection)
        for (address, socket) in addresses { try peer.addLocalCandidate(address, socket: socket) }
        var video = TransceiverSettings(.video, .sendOnly)
        video.sending = settings.clip.layers.map { SendingEncoding(rid: $0.rid.description) }
        video.codecPreferences = settings.clip.codec.traits.map { [$0.encoding] } ?? []
        try peer.addTransceiver(video)
        if settings.sound != nil { try peer.addTransceiver(TransceiverSettings(.audio, .sendOnly)) }
        for _ in 0..<settings.slots { try peer.addTransceiver(TransceiverSettings(.video, .receiveOnly)) }
        for _ in 0..<BotMediaSettings.soundSlots where settings.sound != nil {
            try peer.addTransceiver(TransceiverSettings(.audio, .receiveOnly))
        }
        let offer = try peer.offer(at: now).text
        // The former one is gone without a word: the server has no session of it any more.
        self.peer = peer
        (players, mids) = ([:], [:])
        slots.reset()
        frames.reset()
        counts.offers += 1
        return offer
    }

    /// Takes the answer to the last offer.
    func accept(_ answer: String, at now: MediaTime) throws(PeerError) {
        try peer?.setRemote(.answer, answer, at: now)
        follow(at: now)
    }

    /// Ends the connection: the server is told.
    func close(at now: MediaTime) { peer?.close(at: now) }

    private func follow(at now: MediaTime) {
        guard let peer else { return }
        mids = [:]
        for stream in peer.receivingStreams + peer.receivingSounds { mids[stream.id] = stream.description.mid }
        for stream in peer.sendingStreams where players[stream.id] == nil {
            guard
                let layer = settings.clip.layers.first(where: { $0.rid.description == stream.description.rid })
                    ?? settings.clip.layers.first
            else { continue }
            let phase = MediaDuration(
                nanoseconds: Int64(place) &* 7_919_000_000 % max(settings.clip.duration.nanoseconds, 1))
            players[stream.id] = (
                layer.rid, ClipPlayer(layer, of: settings.clip.duration, phase: phase, at: now)
            )
        }
        if sound == nil, let packets = settings.sound { sound = SoundPlayer(packets, at: now) }
    }

    // MARK: Datagrams and time

    /// Takes a datagram that arrived at that time, not after `now`: the estimate of the network counts from it.
    func insert(
        _ datagram: inout MutableSpan<UInt8>, on path: ICEPath, at now: MediaTime, arrival: MediaTime
    ) {
        _ = peer?.insert(&datagram, on: path, at: now, arrival: arrival)
    }

    /// What to do next. Call it until it returns `wait`.
    func poll(at now: MediaTime, into bytes: inout [UInt8]) -> Action {
        guard let peer else { return .wait(until: .distantFuture) }
        let next = play(peer, at: now)
        while true {
            switch peer.poll(at: now, into: &bytes) {
            case .transmit(on: let path): return .transmit(on: path)
            case .decode(of: let stream):
                guard let session = peer.session else { continue }
                let frame = session.releasedFrame
                let (uid, outcome) = take(frame, bytes.span, of: stream, at: now)
                session.finish(
                    frame, of: stream, outcome, picture: outcome == .decoded ? frame.frame.resolution : nil,
                    decoded: now, at: now)
                if outcome == .decoded { return .picture(of: uid) }
            case .payload(of: let stream, _):
                if frames.takeSound(bytes.span) { slots.takeSound(mids[stream] ?? "") }
            case .makeKeyFrame(of: let stream):
                counts.keyFrameRequests += 1
                players[stream]?.player.requestKeyFrame()
            case .event(.streamsChanged): follow(at: now)
            case .event(.stateChanged(_, to: let state)): return .stateChanged(state)
            case .event: continue
            case .wait(until: let time): return .wait(until: min(time, next))
            }
        }
    }

    /// Opens a frame, if it is encrypted. Returns whose picture it is, if that is known, and the frame's outcome.
    private func take(
        _ frame: ReceivedFrame, _ bytes: Span<UInt8>, of stream: ReceivingStreamID, at now: MediaTime
    ) -> (UID?, DecodeOutcome) {
        switch frames.take(frame, bytes, of: stream) {
        case .unopened: return (nil, .unopened)
        case .awaitsKeyFrame: return (nil, .skipped)
        case .usable:
            let (uid, isDecodable) = slots.take(frame, of: stream, mids[stream] ?? "", at: now)
            guard isDecodable else { return (nil, .skipped) }
            frames.decode(frame, bytes, of: stream)
            return (uid, .decoded)
        }
    }

    /// Sends what is due of the clip. Returns when there is more.
    private func play(_ peer: PeerConnection, at now: MediaTime) -> MediaTime {
        guard isPublishing, peer.state == .connected else { return .distantFuture }
        var next = MediaTime.distantFuture
        for stream in peer.sendingStreams {
            guard let (rid, _) = players[stream.id] else { continue }
            while let frame = players[stream.id]?.player.next(at: now) {
                let isHeldUp = !stream.isActive || peer.session?.allowance(at: now)?.obstacle != nil
                let sent =
                    isHeldUp
                    ? nil
                    : frames.seal(frame.bytes.span, .picture) {
                        peer.send(frame.description, payload: $0, of: stream.id, at: now)
                    }
                if sent != nil {
                    counts.framesSent[rid, default: 0] += 1
                } else {
                    counts.framesLeftOut += 1
                    players[stream.id]?.player.dropped()
                }
            }
            next = min(next, players[stream.id]?.player.nextTime ?? .distantFuture)
        }
        guard let stream = peer.sendingSounds.first else { return next }
        while let (payload, captured) = sound?.next(at: now) {
            // They speak in turn, for three seconds each.
            let isSpeaking = Int(now.seconds / 3) % 4 == place % 4
            let level = AudioLevel(attenuation: isSpeaking ? 25 : 75, isVoice: isSpeaking)
            let stamp = PayloadStamp(captureTime: captured, captured: now, level: level)
            let sent = frames.seal(payload.span, .sound) { peer.send($0, stamp, of: stream.id, at: now) }
            if sent != nil { counts.soundSent += 1 }
        }
        return min(next, sound?.nextTime ?? .distantFuture)
    }
}

extension Bitrate {
    fileprivate static func * (bitrate: Bitrate, factor: Int) -> Bitrate {
        Bitrate(bitsPerSecond: bitrate.bitsPerSecond * factor)
    }
}
#endif
