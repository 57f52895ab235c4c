public import RillCore
public import RillPeer
public import RillRTP
import RillSession

/// Forwards named streams without decoding them: each has one publisher, who may send several layers, and many who get
/// one of them: viewers of that stream, and members who publish and get many streams over one connection.
///
/// ```swift
/// let forwarder = StreamForwarder(certificate: certificate)
/// try forwarder.addLocalCandidate(address)
/// let alice = try forwarder.publish("lobby", offer: offer, at: now)     // alice.answer goes back to the publisher
/// let bob = try forwarder.watch("lobby", offer: another, at: now)
/// …
/// forwarder.insert(&datagram, on: ICEPath(source), at: now)
/// work: while true {
///     switch forwarder.poll(at: now, into: &bytes) {
///     case .transmit(on: let path): socket.send(bytes, to: path.remote)
///     case .event(let event): log(event)
///     case .wait(until: let time): wakeUp = time; break work
///     }
/// }
/// ```
///
/// **Frames, not packets.** A publisher's packets are put in order and repaired once, and its frames are sent to each
/// viewer by that viewer's own session: with sequence numbers and a clock that never jump, whichever layer or publisher
/// they come from, and with the retransmissions, FEC and pace that the viewer's network needs. What a publisher's
/// network loses costs no viewer a request.
///
/// **Key frames.** A layer is asked for one key frame for all who wait for one, at most once a second. Who joins within
/// a second of it gets the frames since then.
///
/// **Encrypted frames.** Frames may be encrypted by the publisher (RFC 9605): nothing of them is read but their
/// packets' descriptors, and of VP8 the header of a key frame, which has to be left in the clear (10 bytes).
///
/// **Audio.** Payloads of Opus are passed on as they come, to who asked for audio, before pictures. They are not
/// repaired; sender reports align them with the pictures of their publisher. A publisher has one sound (further
/// sections are rejected), and a limit (``ForwardSettings/soundBitrate``). A member with fewer slots for sound than it
/// wants to hear gets the loudest, by the levels in the packets (RFC 6464), and
/// ``ForwardEvent/speakerChanged(room:to:)`` says who speaks.
///
/// **Layers.** A viewer names a layer (``select(_:for:at:)``), or gets the best one that its network carries. Changes
/// happen at key frames. While the layer that it has named brings no frames for two seconds, it gets another one. A
/// layer that nobody wants for 5 s is paused at its publisher (RFC 7728), or ``ForwardEvent/layerUnwanted(_:layer:)``
/// says so; the smallest one always goes on.
///
/// **Codecs.** A publisher may go over to another codec that was agreed on, with a key frame and without an offer.
/// Viewers that have it go on; one that does not gets another layer, or nothing until the codec changes again.
///
/// **Members.** Who joins (``join(_:offer:from:in:at:)``) offers once: sections that send are published, and sections
/// that receive are slots, which show whichever streams the member wants (``want(_:_:for:at:)``), with no further
/// offer. What its network carries is shared out among them: each wanted stream gets its smallest layer before any gets
/// a better one. ``ForwardEvent/slotChanged(_:mid:kind:shows:)`` says what a slot shows.
///
/// **Publishers.** A second publisher of a stream takes over with its first key frame: until then viewers go on with
/// the first one. Who may have how many sessions is in ``ForwardQuotas``.
///
/// It has one owner, and no thread, clock or socket; `now` must not go back. ``LiveForwarder`` drives it. Any input
/// bytes are safe, and what others can make it hold has limits (``ForwardSettings``).
public final class StreamForwarder {
    /// The settings.
    public let settings: ForwardSettings
    let port: PeerPort
    private let certificate: DTLSCertificate
    private var connectionCount: UInt64 = 0
    private var addresses: [(UDPAddress, socket: Int)] = []
    var streams: [String: ForwardedStream] = [:]
    /// What a session publishes.
    var publishers: [ICEPeerID: [ForwardedStream]] = [:]
    // No code of a caller's runs during an access to one of these: see RTPSession.
    /// Who gets something.
    @safe @exclusivity(unchecked) var members: [ICEPeerID: Member] = [:]
    @safe @exclusivity(unchecked) var events: [ForwardEvent] = []
    @safe @exclusivity(unchecked) var nextEvent = 0
    /// When streams without publishers end, by name.
    @safe @exclusivity(unchecked) var deadlines: [String: MediaTime] = [:]
    /// When key frames are due to be asked for.
    @safe @exclusivity(unchecked) var keyFrameRequestTime = MediaTime.distantFuture
    /// When it is due to be found out which layers nobody wants.
    @safe @exclusivity(unchecked) var interestTime = MediaTime.distantFuture
    /// What is left out, because the thread that drives this is late.
    @safe @exclusivity(unchecked) var overloadControl = OverloadControl()
    /// Until when the last poll had nothing to do.
    @safe @exclusivity(unchecked) var restTime = MediaTime.distantFuture
    /// How often more was left out than before because the thread was late.
    public internal(set) var overloadCount = 0
    /// What was forwarded to those who have left.
    var formerCounts = ForwardCounts()
    /// How often publishers were asked for a key frame, for all viewers together.
    public internal(set) var keyFrameRequestCount = 0
    /// Iterations of polls that changed nothing, by an error of ours. Sessions that made them have ended.
    @safe @exclusivity(unchecked) package internal(set) var pollsWithoutProgress = 0
    /// Packets of publishers' sound that were not forwarded: they came beyond ``ForwardSettings/soundBitrate`` or
    /// ``ForwardSettings/soundPacketRate``.
    public internal(set) var droppedSoundPackets = 0
    /// Who speaks, in each room.
    var rooms: [String: SpeakerRoom] = [:]
    /// How many streams there were.
    var streamNumber = 0
    var isClosed = false
    /// Whose sessions there are.
    var ledger: SessionLedger
    /// What became of requests for sessions.
    public internal(set) var admissions = AdmissionCounts()

    /// Creates a forwarder without streams.
    ///
    /// - Parameters:
    ///   - settings: limits, codecs and times.
    ///   - certificate: the certificate towards all peers.
    public init(_ settings: ForwardSettings = ForwardSettings(), certificate: DTLSCertificate) {
        (self.settings, self.certificate) = (settings, certificate)
        // Sessions that have ended stay until the next poll: the ledger holds the limit.
        port = PeerPort(peerLimit: 2 * settings.sessionLimit)
        ledger = SessionLedger(settings)
    }

    deinit {
        // Slots know their stream.
        for stream in streams.values { (stream.subscriptions, stream.listeners) = ([], []) }
        for member in members.values { member.wantedSounds = [] }
    }

    /// Adds an address at which our socket is reached, the preferred ones first. It is for the sessions after it.
    ///
    /// - Parameters:
    ///   - address: the address.
    ///   - socket: the driver's number of the socket, which the paths of its datagrams have.
    public func addLocalCandidate(_ address: UDPAddress, socket: Int = 0) { addresses.append((address, socket)) }

    // MARK: Sessions

    /// Adds a candidate of a session's other side that was trickled. One that cannot be used is ignored.
    ///
    /// - Parameters:
    ///   - text: the candidate, as `RTCIceCandidate.candidate` has it; the empty text ends them.
    ///   - mid: the section for which it was gathered.
    ///   - id: the session.
    ///   - now: the current time.
    /// - Throws: ``ForwardError/unknownSession``.
    public func addCandidate(_ text: String, mid: String?, of id: ICEPeerID, at now: MediaTime) throws(ForwardError) {
        guard port[id] != nil else { throw .unknownSession }
        // Names of multicast DNS, TCP, former generations: others, or a check of theirs, lead to the peer.
        port.change(id) { connection in _ = try? connection.addRemoteCandidate(text, mid: mid, at: now) }
    }

    /// Finds another path for a session, with other credentials of its other side.
    ///
    /// - Parameters:
    ///   - id: the session.
    ///   - usernameFragment: ice-ufrag of the other side.
    ///   - password: ice-pwd of the other side.
    ///   - now: the current time.
    /// - Returns: an answer with our credentials and candidates. Nothing else in it has changed.
    /// - Throws: ``ForwardError/unknownSession``, ``ForwardError/refused(_:)``.
    public func restart(
        _ id: ICEPeerID, usernameFragment: String, password: String, at now: MediaTime
    ) throws(ForwardError) -> SessionDescription {
        guard let offer = port[id]?.negotiator.remoteDescription else { throw .unknownSession }
        return try renegotiate(id, offer: offer.restarting(usernameFragment, password).text, at: now)
    }

    /// Answers another offer of a session: with other credentials of ICE it finds another path in place, and the
    /// present one serves until then. Sections keep what they are for: a new one has no stream, and is no slot.
    ///
    /// - Parameters:
    ///   - id: the session.
    ///   - offer: the offer.
    ///   - now: the current time.
    /// - Returns: the answer.
    /// - Throws: ``ForwardError/unknownSession``, ``ForwardError/refused(_:)``.
    public func renegotiate(
        _ id: ICEPeerID, offer: String, at now: MediaTime
    ) throws(ForwardError) -> SessionDescription {
        do throws(PeerError) {
            guard let answer = try port.change(id, { (peer) throws(PeerError) in try peer.answer(offer, at: now) })
            else { throw PeerError.closed }
            return answer
        } catch {
            guard port[id] != nil else { throw .unknownSession }
            throw .refused(error)
        }
    }

    /// Chooses what a viewer gets.
    ///
    /// - Parameters:
    ///   - layer: the name of a layer of the publisher's, or `high` or `low` for the best and the last one; `nil` for
    ///     what the viewer's network carries.
    ///   - id: the viewer's session.
    ///   - now: the current time.
    /// - Throws: ``ForwardError/unknownSession``, ``ForwardError/unknownLayer(_:of:)``.
    public func select(_ layer: String?, for id: ICEPeerID, at now: MediaTime) throws(ForwardError) {
        guard let viewer = members[id], viewer.isViewer, let slot = viewer.slots.first, let stream = slot.stream
        else { throw .unknownSession }
        if let layer, stream.find(layer) == nil { throw .unknownLayer(layer, of: layers(of: stream.name)) }
        slot.requested = layer
        viewer.nextChoice = now
        updateInterest(in: stream, at: now)
        choose(for: viewer, at: now)
    }

    /// Ends a session: its other side is told.
    ///
    /// - Parameters:
    ///   - id: the session.
    ///   - now: the current time.
    /// - Throws: ``ForwardError/unknownSession``.
    public func end(_ id: ICEPeerID, at now: MediaTime) throws(ForwardError) {
        guard ledger[id] != nil else { throw .unknownSession }
        end(id, .left, at: now)
    }

    /// Ends all sessions.
    ///
    /// - Parameter now: the current time.
    public func close(at now: MediaTime) {
        isClosed = true
        for id in port.peers { end(id, .closed, at: now) }
        (streams, deadlines) = ([:], [:])
    }

    /// Makes a connection that answers an offer.
    ///
    /// - Parameters:
    ///   - offer: the offer.
    ///   - sending: our sections that send, in the order of those that they answer.
    ///   - negotiation: codecs, and limits on what we receive.
    ///   - now: the current time.
    func connect(
        answering offer: String, sending: [TransceiverSettings], _ negotiation: NegotiationSettings,
        at now: MediaTime
    ) throws(ForwardError) -> (ICEPeerID, SessionDescription) {
        var peer = PeerConnectionSettings()
        var generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
        if let seed = settings.seed {
            peer.seed = seed &+ UInt64(port.count)
            // Two sessions never have the same credentials.
            connectionCount += 1
            generator = SeededGenerator(seed: seed &+ connectionCount)
        }
        (peer.negotiation, peer.dtls) = (negotiation, settings.dtls)
        peer.connectTimeout = settings.connectTimeout
        peer.wallClockAtZero = settings.wallClockAtZero
        // A viewer's session does the waiting for smooth pictures, not this one.
        peer.playoutDelay = .lowLatency
        peer.isOpaque = true
        var congestion = CongestionSettings(bitrates: .kilobits(30)...settings.maximumBitrate)
        congestion.startBitrate = settings.startBitrate
        peer.congestion = congestion
        let connection = PeerConnection(
            .controlled, certificate: certificate, settings: peer, using: generator)
        do throws(PeerError) {
            for (address, socket) in addresses { try connection.addLocalCandidate(address, socket: socket) }
            for section in sending { try connection.addTransceiver(section) }
            let answer = try connection.answer(offer, at: now)
            do throws(ICEError) { return (try port.add(connection), answer) } catch { throw .ice(error) }
        } catch {
            throw .refused(error)
        }
    }
}

extension SessionDescription {
    /// The description with other credentials of ICE, and without candidates.
    fileprivate func restarting(_ usernameFragment: String, _ password: String) -> SessionDescription {
        func change(_ attributes: inout [Attribute]) {
            attributes.removeAll { ["candidate", "end-of-candidates"].contains($0.name) }
            for index in attributes.indices {
                if attributes[index].name == "ice-ufrag" { attributes[index].value = usernameFragment }
                if attributes[index].name == "ice-pwd" { attributes[index].value = password }
            }
        }
        var description = self
        change(&description.otherAttributes)
        for index in description.media.indices { change(&description.media[index].otherAttributes) }
        return description
    }
}

extension StreamForwarder {
    /// The streams, by name.
    ///
    /// - Parameter now: the current time.
    public func statistics(at now: MediaTime) -> [StreamStatistics] {
        streams.values.map { $0.statistics(at: now) }.sorted { $0.name < $1.name }
    }

    /// What was forwarded to all viewers so far.
    public var counts: ForwardCounts {
        members.values.reduce(into: formerCounts) { $0.add($1.counts) }
    }

    /// What is left out now, because the thread that drives this is late.
    public var overload: OverloadLevel { overloadControl.level }

    /// How many sessions there are: of publishers and members, and of viewers.
    public var sessionCount: (publishers: Int, viewers: Int) {
        let viewers = members.values.count(where: \.isViewer)
        return (ledger.count - viewers, viewers)
    }

    /// How many of them were not connected yet.
    public var halfOpenCount: Int { ledger.halfOpenCount }

    /// What became of datagrams.
    public var portStatistics: ICEPortStatistics { port.statistics }

    /// A session's connection, to read its state and statistics; `nil` for an unknown one.
    public subscript(id: ICEPeerID) -> PeerConnection? { port[id] }

    /// The layers that a stream's viewers may choose from, the best one first; empty for an unknown stream.
    public func layers(of name: String) -> [String] {
        guard let stream = streams[name] else { return [] }
        return stream.order.map { stream.layers[$0].name }
    }
}

extension ForwardedStream {
    fileprivate func statistics(at now: MediaTime) -> StreamStatistics {
        StreamStatistics(
            name: name, codec: codec, isPublished: publisher != nil, age: now - start, viewerCount: subscriptions.count,
            forwarded: forwarded,
            layers: order.map { index in
                let (layer, rates) = (layers[index], layers[index].rates(at: now))
                return LayerStatistics(
                    name: layer.name, resolution: layer.resolution?.known, framesPerSecond: rates.frames,
                    bitrate: Bitrate(bitsPerSecond: Int(rates.bits)), frames: layer.frameCount,
                    keyFrames: layer.keyFrameCount, viewerCount: subscriptions.count { $0.current == index })
            })
    }

    /// What those who get it now were sent by their slots.
    private var forwarded: ForwardCounts {
        var counts = subscriptions.reduce(into: ForwardCounts()) { $0.add($1.counts) }
        counts.audioPackets = listeners.reduce(0) { $0 + $1.packetCount }
        return counts
    }
}
