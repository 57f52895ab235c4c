public import RillRTP

// What the app wants: transceivers and their properties. Changes take effect with the next exchange.
extension Negotiator {
    /// Adds a transceiver.
    ///
    /// - Throws: `invalidEncodings`, `invalidName`, `unsupportedKind`, `noCodec` or `closed`.
    public mutating func addTransceiver(_ settings: TransceiverSettings) throws(NegotiationError) -> TransceiverID {
        guard signalingState != .closed else { throw .closed }
        guard settings.kind == .video || settings.kind == .audio else {
            throw .unsupportedKind(settings.kind.rawValue)
        }
        guard !SupportedFormats(self.settings, settings.kind, preferences: []).codecs.isEmpty else {
            throw .noCodec(settings.kind)
        }
        try Transceiver.check(settings.sending, receivedRIDs: settings.receivedRIDs)
        for name in (settings.streams ?? []).flatMap({ [$0.stream, $0.track].compactMap(\.self) })
        where !MediaStreamName.isToken(name) {
            throw .invalidName(name)
        }
        let names = settings.streams ?? [MediaStreamName(stream: streamName)]
        return append(settings, names: names)
    }

    /// Changes the direction that this side wants.
    ///
    /// - Throws: `unknownTransceiver` or `stopped`.
    public mutating func setDirection(_ direction: MediaDirection, of id: TransceiverID) throws(NegotiationError) {
        transceivers[try position(id)].direction = direction
    }

    /// Changes the encodings. Once the transceiver has a section, their number and RIDs stay; those that an answer left
    /// out are gone.
    ///
    /// - Throws: `unknownTransceiver`, `stopped` or `invalidEncodings`.
    public mutating func setSending(_ encodings: [SendingEncoding], of id: TransceiverID) throws(NegotiationError) {
        let position = try position(id)
        let old = transceivers[position]
        try Transceiver.check(encodings, receivedRIDs: old.receivedRIDs)
        guard old.mid == nil || encodings.map(\.rid) == old.sending.map(\.rid) else {
            throw .invalidEncodings(.changed)
        }
        transceivers[position].sending = encodings
        while transceivers[position].sources.count < encodings.count {
            transceivers[position].sources.append(drawSources())
        }
        if old.sending != encodings { draft = nil }
    }

    /// Changes the RIDs under which we offer to receive a simulcast.
    ///
    /// - Throws: `unknownTransceiver`, `stopped` or `invalidEncodings`.
    public mutating func setReceivedRIDs(_ rids: [String], of id: TransceiverID) throws(NegotiationError) {
        let position = try position(id)
        try Transceiver.check(transceivers[position].sending, receivedRIDs: rids)
        setOffered(\.receivedRIDs, to: rids, at: position)
    }

    /// Changes the codecs to use. Those that the settings do not have are ignored.
    ///
    /// - Throws: `unknownTransceiver` or `stopped`.
    public mutating func setCodecPreferences(
        _ codecs: [RTPFormat.Encoding], of id: TransceiverID
    ) throws(NegotiationError) {
        setOffered(\.codecPreferences, to: codecs, at: try position(id))
    }

    /// Changes what only an offer of ours can tell.
    private mutating func setOffered<Value: Equatable>(
        _ property: WritableKeyPath<Transceiver, Value>, to value: Value, at position: Int
    ) {
        guard transceivers[position][keyPath: property] != value else { return }
        transceivers[position][keyPath: property] = value
        draft = nil
        transceivers[position].needsOffer = transceivers[position].index != nil
    }

    /// Stops a transceiver: the next exchange takes its section out of use. One without a section is removed.
    ///
    /// - Throws: `unknownTransceiver` or `stopped`.
    public mutating func stop(_ id: TransceiverID) throws(NegotiationError) {
        let position = try position(id)
        if transceivers[position].index == nil {
            transceivers.remove(at: position)
            draft = nil
        } else {
            transceivers[position].isStopping = true
        }
    }

    /// Whether an offer of ours would change the session (W3C's `negotiationneeded`). False during an exchange.
    public var isNegotiationNeeded: Bool {
        guard signalingState == .stable else { return false }
        return transceivers.contains { needsNegotiation($0) }
    }

    private func needsNegotiation(_ transceiver: Transceiver) -> Bool {
        guard let index = transceiver.index, let local = currentLocalDescription?.media, index < local.count,
            let remote = currentRemoteDescription?.media, index < remote.count
        else { return true }
        if transceiver.isStopping || transceiver.needsOffer { return true }
        let ours = local[index].direction ?? .sendAndReceive
        let theirs = (remote[index].direction ?? currentRemoteDescription?.direction ?? .sendAndReceive).reversed
        if isAnswerer { return ours != transceiver.direction.intersection(theirs) }
        return ours != transceiver.direction && theirs != transceiver.direction
    }

    // MARK: Inside

    /// The position of a transceiver that is in use.
    private func position(_ id: TransceiverID) throws(NegotiationError) -> Int {
        guard let position = transceivers.firstIndex(where: { $0.id == id }) else { throw .unknownTransceiver(id) }
        guard !transceivers[position].isStopping else { throw .stopped(id) }
        return position
    }

    /// Adds a transceiver with valid settings.
    mutating func append(_ settings: TransceiverSettings, names: [MediaStreamName]) -> TransceiverID {
        let id = TransceiverID(rawValue: transceiverCount)
        transceiverCount += 1
        let track = Negotiator.drawName(using: &generator)
        var transceiver = Transceiver(
            id: id, kind: settings.kind, direction: settings.direction, sending: settings.sending,
            receivedRIDs: settings.receivedRIDs, codecPreferences: settings.codecPreferences,
            localStreams: names.map { MediaStreamName(stream: $0.stream, track: $0.track ?? track) },
            answersOffers: settings.answersOffers)
        transceiver.sources = settings.sending.map { _ in drawSources() }
        transceivers.append(transceiver)
        return id
    }

    /// SSRCs that no encoding of ours has yet.
    private mutating func drawSources() -> EncodingSources {
        var taken: Set<SSRC> = [SSRC(0)]
        for source in transceivers.flatMap(\.sources) { taken.formUnion([source.ssrc, source.retransmission]) }
        func draw() -> SSRC {
            while true {
                let ssrc = SSRC(UInt32(truncatingIfNeeded: generator.next()))
                if taken.insert(ssrc).inserted { return ssrc }
            }
        }
        return EncodingSources(ssrc: draw(), retransmission: draw())
    }
}
