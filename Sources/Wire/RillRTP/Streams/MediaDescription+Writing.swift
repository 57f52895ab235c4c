extension MediaDescription {
    /// A section for the streams of one simulcast in each direction; ``streams(_:codecs:)`` parses it again.
    ///
    /// ```swift
    /// let video = try MediaDescription(sending: [high, low], port: 5004)
    /// print(SessionDescription(connection: ConnectionAddress("192.0.2.1"), media: [video]).text)
    /// ```
    ///
    /// RTP and RTCP share one port. Several streams in one direction are a simulcast, described by their RIDs if they
    /// have them (RFC 8853), otherwise by their sources. A source is written with its CNAME (RFC 5576 §6.1), or `-`
    /// if it has none.
    ///
    /// - Parameters:
    ///   - sending: the streams that the writer of the description sends, preferred format first.
    ///   - receiving: the streams that it receives. Traps if both directions are empty.
    ///   - kind: the media type; that of the streams by default.
    ///   - port: the port that receives the other side's packets.
    ///   - transport: the protocol; `RTP/AVPF` by default.
    /// - Throws: the errors of [StreamDescription]'s `validate()` for the streams of one direction, and
    ///   `identifierInUse` if the streams belong to several sections.
    public init(
        sending: [StreamDescription], receiving: [StreamDescription] = [], _ kind: Kind? = nil, port: UInt16,
        transport: String = "RTP/AVPF"
    ) throws(StreamDescriptionError) {
        let all = sending + receiving
        precondition(!all.isEmpty, "a section has a stream")
        try sending.validate()
        try receiving.validate()
        for stream in all where stream.mid != all[0].mid { throw .identifierInUse(stream.mid ?? "") }
        self.init(kind ?? all[0].kind, port: port, transport: transport)
        mid = all[0].mid
        direction = sending.isEmpty ? .receiveOnly : receiving.isEmpty ? .sendOnly : .sendAndReceive
        isRTCPMultiplexed = true
        for stream in all { add(formatsOf: stream) }
        feedback = all.reduce(into: StreamDescription.Feedback.wildcard) { $0.formIntersection($1.feedback) }.messages
        try add(headerExtensionsOf: all)
        // If payload types differ, each stream specifies its own.
        let listsPayloadTypes = Set(all.map(\.payloadType)).count > 1
        let simulcasts = (
            send: name(sending, .send, listsPayloadTypes), receive: name(receiving, .receive, listsPayloadTypes)
        )
        if !simulcasts.send.isEmpty || !simulcasts.receive.isEmpty {
            simulcast = Simulcast(send: simulcasts.send, receive: simulcasts.receive)
        }
        if all.count == 1, rids.isEmpty { frameRate = all[0].limits.framesPerSecond }
        for stream in sending { add(sourcesOf: stream) }
        let ssrcs = sending.compactMap(\.ssrc)
        if ssrcs.count > 1, ssrcs.count == sending.count { sourceGroups.append(SourceGroup("SIM", ssrcs)) }
        if all.contains(where: \.usesReducedSizeRTCP) {
            otherAttributes.append(SessionDescription.Attribute("rtcp-rsize"))
        }
    }

    private mutating func add(formatsOf stream: StreamDescription) {
        let repair = stream.repair
        if let type = repair.redPayloadType { add(.red(type)) }
        add(
            RTPFormat(
                stream.payloadType, encoding: stream.encoding, parameters: stream.parameters,
                feedback: stream.feedback.subtracting(.wildcard).messages))
        for other in stream.alternatives {
            add(
                RTPFormat(
                    other.payloadType, encoding: other.encoding, parameters: other.parameters,
                    feedback: stream.feedback.subtracting(.wildcard).messages))
            if let again = other.retransmissionPayloadType { add(.rtx(again, for: other.payloadType)) }
        }
        if let type = repair.fecPayloadType { add(.ulpfec(type)) }
        if let again = repair.retransmission {
            let original = again.originalPayloadType ?? repair.redPayloadType ?? stream.payloadType
            add(.rtx(again.payloadType, for: original, milliseconds: again.milliseconds))
        }
    }

    /// Adds a format, or merges the feedback of another stream with the same format.
    private mutating func add(_ format: RTPFormat) {
        guard let index = formats.firstIndex(where: { $0.payloadType == format.payloadType }) else {
            return formats.append(format)
        }
        for message in format.feedback where !formats[index].feedback.contains(message) {
            formats[index].feedback.append(message)
        }
    }

    private mutating func add(headerExtensionsOf streams: [StreamDescription]) throws(StreamDescriptionError) {
        var map = HeaderExtensionMap()
        for kind in HeaderExtensionKind.allCases {
            for id in streams.compactMap({ $0.headerExtensions[kind] }) {
                guard map[kind] ?? id == id else { throw .headerExtensionInUse(id) }
                guard map[kind] == nil else { continue }
                do throws(RTPError) { try map.set(kind, id: id) } catch { throw .headerExtensionInUse(id) }
                headerExtensions.append(HeaderExtensionMapping(id: id, kind))
            }
        }
    }

    /// Adds the a=rid lines of streams with RIDs. Returns the entries for a=simulcast; none if a single a=rid line
    /// suffices.
    private mutating func name(
        _ streams: [StreamDescription], _ way: RestrictionIdentifier.Direction, _ listsPayloadTypes: Bool
    ) -> [Simulcast.Stream] {
        var entries: [Simulcast.Stream] = []
        for stream in streams {
            guard let rid = stream.rid else { continue }
            var entry = Simulcast.Stream([Simulcast.Alternative(rid, isPaused: stream.isPaused)])
            rids.append(
                RestrictionIdentifier(
                    rid, way, payloadTypes: listsPayloadTypes ? [stream.payloadType] : [],
                    restrictions: stream.limits.restrictions))
            for other in stream.alternativeRIDs {
                entry.alternatives.append(Simulcast.Alternative(other))
                rids.append(RestrictionIdentifier(other, way))
            }
            entries.append(entry)
        }
        let isPlain = entries.count == 1 && entries[0].alternatives.count == 1 && !streams[0].isPaused
        return isPlain ? [] : entries
    }

    private mutating func add(sourcesOf stream: StreamDescription) {
        guard let ssrc = stream.ssrc else { return }
        let name = SessionDescription.Attribute("cname", stream.canonicalName ?? "-")
        sources.append(SourceAttribute(ssrc, name))
        guard let again = stream.repair.retransmission?.ssrc else { return }
        sources.append(SourceAttribute(again, name))
        sourceGroups.append(SourceGroup("FID", [ssrc, again]))
    }
}
