import RillRTP

/// Works out what two sections, an offer's and its answer's, agree on.
struct SectionAgreement {
    let transceiver: Transceiver
    let local: MediaDescription
    let remote: RemoteSection
    /// Whose section is the answer.
    let answer: DescriptionSide
    let canonicalName: String
    private let formats: FormatAgreement

    init(
        _ transceiver: Transceiver, local: MediaDescription, remote: RemoteSection, answer: DescriptionSide,
        settings: NegotiationSettings, canonicalName: String
    ) {
        self.transceiver = transceiver
        self.local = local
        self.remote = remote
        self.answer = answer
        self.canonicalName = canonicalName
        // The preferences of then are in our section; those of now are for the next exchange.
        let supported = SupportedFormats(settings, transceiver.kind, preferences: [])
        formats = FormatAgreement(supported, local: local, remote: remote.media, answer: answer)
    }

    /// The direction as this side sees it. What an answer has beyond the offer does not count (RFC 3264 §6.1).
    var direction: MediaDirection {
        (local.direction ?? .sendAndReceive).intersection(remote.direction.reversed)
    }

    /// The section; `nil` if there is no common codec.
    func section(mid: String, index: Int) throws(StreamDescriptionError) -> NegotiatedSection? {
        guard formats.codec != nil else { return nil }
        return NegotiatedSection(
            transceiver: transceiver.id, mid: mid, index: index, kind: transceiver.kind, direction: direction,
            sending: direction.sends ? try sending() : [], receiving: direction.receives ? try receiving() : [],
            formats: formats.entries.map(\.local), remoteFormats: formats.entries.map(\.remote),
            maximumBitrate: remote.maximumBitrate)
    }

    // MARK: Receiving

    /// The streams of the other side, with our payload types.
    private func receiving() throws(StreamDescriptionError) -> [StreamDescription] {
        var sender = section(remote.media, formats.entries.map(\.local))
        sender.headerExtensions = headerExtensions(from: remote.media.headerExtensions, to: local.headerExtensions)
        sender.sources = remote.media.sources
        sender.sourceGroups = remote.media.sourceGroups
        sender.frameRate = remote.media.frameRate
        take(
            SectionLayers(
                sender: SectionLayers(remote.media, .send), receiver: SectionLayers(local, .receive),
                formats.localTypes), by: &sender)
        var streams = try sender.streams(.send, codecs: codecNames)
        for index in streams.indices { complete(&streams[index]) }
        return streams
    }

    // MARK: Sending

    /// Our streams, with the payload types of the other side.
    private func sending() throws(StreamDescriptionError) -> [StreamDescription] {
        var sender = section(local, formats.entries.map(\.remote))
        sender.headerExtensions = headerExtensions(from: local.headerExtensions, to: remote.media.headerExtensions)
        let receiver = SectionLayers(remote.media, .receive)
        take(SectionLayers(sender: SectionLayers(local, .send), receiver: receiver, formats.remoteTypes), by: &sender)
        // The other side may restrict a layer to some of its payload types.
        for index in sender.rids.indices {
            let types = receiver.rids.first { $0.id == sender.rids[index].id }?.payloadTypes ?? []
            if sender.rids[index].payloadTypes.isEmpty { sender.rids[index].payloadTypes = types }
        }
        var streams = try sender.streams(.send, codecs: codecNames)
        // The highest layer first, as in our encodings, whatever the order of an answer.
        let order = transceiver.sending.map(\.rid)
        for index in streams.indices {
            let stream = streams[index]
            let position = stream.rid == nil ? 0 : order.firstIndex(of: stream.rid) ?? 0
            sendAs(position, &streams[index])
        }
        return streams
    }

    /// Adds what the encoding at `position` has to a stream that we send.
    private func sendAs(_ position: Int, _ stream: inout StreamDescription) {
        complete(&stream)
        let encoding = transceiver.sending[position]
        let source = transceiver.sources[position]
        stream.ssrc = source.ssrc
        if stream.repair.retransmission != nil { stream.repair.retransmission?.ssrc = source.retransmission }
        stream.canonicalName = canonicalName
        stream.isPaused = stream.isPaused || !encoding.isActive
        stream.limits = stream.limits.tightened(by: encoding.limits).tightened(by: codecLimits(stream.payloadType))
        guard let most = remote.maximumBitrate, most > 0 else { return }
        stream.limits.bitsPerSecond = min(stream.limits.bitsPerSecond ?? most, most)
    }

    /// The limits of the other side's decoder, for codecs that have them (RFC 7741 §6.1): max-fr, and max-fs in
    /// macroblocks.
    private func codecLimits(_ type: PayloadType) -> StreamDescription.Limits {
        var limits = StreamDescription.Limits()
        guard let codec = formats.entries.first(where: { $0.remote.payloadType == type }),
            codec.key.traits?.hasFrameLimits == true
        else { return limits }
        if let rate = codec.remote[parameter: "max-fr"].flatMap({ Double($0) }), rate > 0, rate < 1000 {
            limits.framesPerSecond = rate
        }
        if let size = codec.remote[parameter: "max-fs"].flatMap({ Int($0) }), (1...1_000_000).contains(size) {
            limits.pixelsPerFrame = size * 256
        }
        return limits
    }

    // MARK: Both

    /// The codecs that both have: a stream has the first that its restrictions allow.
    private var codecNames: [String] { formats.entries.filter { !$0.key.isRepair }.map(\.key.name) }

    /// A section that only has the agreed formats.
    private func section(_ media: MediaDescription, _ formats: [RTPFormat]) -> MediaDescription {
        var section = MediaDescription(media.kind, port: 9, transport: media.transport, formats: formats)
        section.feedback = self.formats.wildcardFeedback
        // Names that packets cannot carry name nothing.
        section.mid = remote.media.mid.flatMap { $0.utf8.count <= 16 ? $0 : nil }
        return section
    }

    private func take(_ layers: SectionLayers, by sender: inout MediaDescription) {
        sender.rids = layers.rids
        sender.simulcast = layers.streams.isEmpty ? nil : Simulcast(send: layers.streams)
    }

    private func complete(_ stream: inout StreamDescription) {
        // Restrictions of audio formats, and those of receivers, are not properties of the stream.
        let traits = CodecTraits.named(stream.encoding.name)
        stream.parameters = traits?.kind == .video ? traits?.parameters ?? [] : []
        for index in stream.alternatives.indices {
            let name = stream.alternatives[index].encoding.name
            stream.alternatives[index].parameters = CodecTraits.named(name)?.parameters ?? []
        }
        stream.usesReducedSizeRTCP = remote.usesReducedSizeRTCP
        if stream.mid == nil { stream.headerExtensions.remove(.mid) }
        stream.chooseCongestionFeedback()
    }

    /// The extensions that the sender may write, and the receiver wants, with the same ID (RFC 8285 §7).
    private func headerExtensions(
        from sender: [HeaderExtensionMapping], to receiver: [HeaderExtensionMapping]
    ) -> [HeaderExtensionMapping] {
        var wanted: [UInt16: String] = [:]
        for mapping in receiver where mapping.direction?.receives != false { wanted[mapping.id] = mapping.uri }
        var kinds: Set<HeaderExtensionKind> = []
        return sender.filter { mapping in
            guard wanted[mapping.id] == mapping.uri, let kind = mapping.kind else { return false }
            return kinds.insert(kind).inserted
        }
    }
}
