public import RillCore
public import RillPeer
import RillRTP
import RillSession

/// New sessions, and which publisher has a stream.
extension StreamForwarder {
    /// Publishes a stream. A publisher that the stream has already is replaced with the first key frame of this one,
    /// and its viewers go on with the new one. If it never sends one, nothing changes.
    ///
    /// - Parameters:
    ///   - name: the stream's name.
    ///   - offer: the publisher's offer.
    ///   - client: who asks.
    ///   - condition: whether it may take the place of another publisher.
    ///   - now: the current time.
    /// - Returns: the session's number, and the answer.
    /// - Throws: ``ForwardError``. Then nothing has changed.
    public func publish(
        _ name: String, offer: String, from client: ForwardClient = ForwardClient(),
        _ condition: PublishCondition = .always, at now: MediaTime
    ) throws(ForwardError) -> (id: ICEPeerID, answer: SessionDescription) {
        try counting { () throws(ForwardError) in
            guard !isClosed else { throw .closed }
            let stream = streams[name]
            let former = stream?.publications(of: client, condition) ?? []
            if let current = stream?.publication, stream?.isLive == true, condition != .always,
                !former.contains(where: { $0.origin == current.origin })
            {
                throw .publishedByOther
            }
            let request = SessionLedger.Entry(client: client, stream: name, isPublisher: true)
            let evicted = try ledger.plan(for: request, streamCount: stream == nil ? streams.count : nil)
            var negotiation = settings.negotiation
            negotiation.maximumReceivedCounts = [.video: 1, .audio: 1]
            let (id, answer) = try connect(answering: offer, sending: [], negotiation, at: now)
            let origin = former.last?.origin
            guard let publication = publications(of: id, origin: origin, subject: client.subject).first else {
                throw .nothingUsable(removeUnused(id))
            }
            admit(request, id, evicting: evicted, at: now)
            begin(publication, of: name, at: now)
            return (id, answer)
        }
    }

    /// Adds a viewer to a stream.
    ///
    /// - Parameters:
    ///   - name: the stream's name.
    ///   - offer: the viewer's offer.
    ///   - client: who asks.
    ///   - now: the current time.
    /// - Returns: the session's number, and the answer.
    /// - Throws: ``ForwardError``. Then nothing has changed.
    public func watch(
        _ name: String, offer: String, from client: ForwardClient = ForwardClient(), at now: MediaTime
    ) throws(ForwardError) -> (id: ICEPeerID, answer: SessionDescription) {
        try counting { () throws(ForwardError) in
            guard !isClosed else { throw .closed }
            guard let stream = streams[name], stream.publisher != nil else { throw .unknownStream(name) }
            let request = SessionLedger.Entry(client: client, stream: name, isPublisher: false)
            let evicted = try ledger.plan(for: request, streamCount: nil)
            // All codecs that both have: the publisher may go over to another one.
            let one = [TransceiverSettings(.video, .sendOnly), TransceiverSettings(.audio, .sendOnly)]
            var (id, answer) = try connect(answering: offer, sending: one, settings.negotiation, at: now)
            let codecs = port[id]?.sendingStreams.first?.description.videoCodecs ?? []
            if !codecs.isEmpty, !stream.layers.contains(where: { codecs.contains($0.codec) }) {
                // Without a present one it is refused, in words that name the codec.
                _ = removeUnused(id)
                var negotiation = settings.negotiation
                negotiation.videoCodecs = [stream.codec]
                (id, answer) = try connect(answering: offer, sending: one, negotiation, at: now)
            }
            let viewer = member(id, isViewer: true)
            guard let slot = viewer.slots.first else { throw .nothingUsable(removeUnused(id)) }
            admit(request, id, evicting: evicted, at: now)
            slot.show(stream)
            viewer.sounds.first?.hear(stream)
            members[id] = viewer
            updateInterest(in: stream, at: now)
            return (id, answer)
        }
    }

    /// Adds a member: a session that publishes and is sent streams. It is sent what it wants (``want(_:_:for:at:)``).
    ///
    /// - Parameters:
    ///   - name: the name of what it publishes: of its first section that sends video, with the first that sends audio.
    ///     Further sections of video are `name/2`, `name/3` and so on, as far as there may be more streams. Somebody
    ///     who publishes under that name is replaced with the first key frame of this one.
    ///   - offer: its offer. Its sections that receive are slots: of video at most ``ForwardSettings/videoSlotLimit``,
    ///     of audio ``ForwardSettings/soundSlotLimit``. One that publishes sound alone is a stream too.
    ///   - room: whose members are compared as speakers (``ForwardEvent/speakerChanged(room:to:)``); `nil` for none.
    ///   - client: who asks.
    ///   - now: the current time.
    /// - Returns: the session's number, and the answer.
    /// - Throws: ``ForwardError``. Then nothing has changed.
    public func join(
        _ name: String, offer: String, from client: ForwardClient = ForwardClient(), in room: String? = nil,
        at now: MediaTime
    ) throws(ForwardError) -> (id: ICEPeerID, answer: SessionDescription) {
        try counting { () throws(ForwardError) in
            guard !isClosed else { throw .closed }
            // An offer that does not parse is refused below, with its error.
            let sections = (try? SessionDescription(offer))?.media ?? []
            let publishes = sections.contains { section in
                section.isRTP && [nil, .sendAndReceive, .sendOnly].contains(section.direction)
            }
            let request = SessionLedger.Entry(client: client, stream: name, isPublisher: true)
            let isNew = publishes && streams[name] == nil
            let evicted = try ledger.plan(for: request, streamCount: isNew ? streams.count : nil)
            var negotiation = settings.negotiation
            negotiation.maximumReceivedCounts = [.video: settings.publicationLimit, .audio: 1]
            let slots =
                sections.slots(.video, atMost: settings.videoSlotLimit)
                + sections.slots(.audio, atMost: settings.soundSlotLimit)
            let (id, answer) = try connect(answering: offer, sending: slots, negotiation, at: now)
            var published = publications(of: id, origin: nil, subject: client.subject)
            if published.isEmpty, port[id]?.receivingSounds.isEmpty == false {
                published = [Publication(id: id, codecs: [], layers: [], origin: id, subject: client.subject)]
            }
            let member = member(id, isViewer: false)
            guard !published.isEmpty || !member.slots.isEmpty || !member.sounds.isEmpty else {
                throw .nothingUsable(removeUnused(id))
            }
            admit(request, id, evicting: evicted, at: now)
            members[id] = member
            for (index, publication) in published.enumerated() {
                let name = index == 0 ? name : "\(name)/\(index + 1)"
                // The plan had room for one.
                guard index == 0 || streams[name] != nil || streams.count < settings.streamLimit else { break }
                begin(publication, of: name, at: now)
                guard index == 0, let stream = streams[name] else { continue }
                stream.room = room
                enterRoom(stream)
            }
            return (id, answer)
        }
    }

    /// What a session that was just made publishes: each section of video that it sends.
    private func publications(of id: ICEPeerID, origin: ICEPeerID?, subject: String?) -> [Publication] {
        var publications: [Publication] = []
        var transceivers: [TransceiverID] = []
        let streams = port[id]?.receivingStreams ?? []
        for first in streams where !transceivers.contains(first.transceiver) {
            guard let codec = first.description.videoCodecs.first else { continue }
            transceivers.append(first.transceiver)
            let layers = streams.filter { $0.transceiver == first.transceiver }
                .map { layer in
                    PublishedLayer(
                        layer.id, name: layer.description.rid ?? "high", codec,
                        isPausable: layer.description.feedback.contains(.pause))
                }
            publications.append(
                Publication(
                    id: id, codecs: first.description.videoCodecs, layers: layers, origin: origin ?? id,
                    subject: subject))
        }
        return publications
    }

    /// The slots of a session that was just made.
    private func member(_ id: ICEPeerID, isViewer: Bool) -> Member {
        Member(
            id, slots: (port[id]?.sendingStreams ?? []).map { Subscription(of: id, sending: $0) },
            sounds: (port[id]?.sendingSounds ?? []).map { SoundSubscription(of: id, sending: $0.id) },
            isViewer: isViewer)
    }

    /// Removes a connection without video that can be forwarded.
    ///
    /// - Returns: why its sections of video were rejected.
    private func removeUnused(_ id: ICEPeerID) -> [SectionRejection] {
        defer { port.remove(id) }
        guard let negotiator = port[id]?.negotiator, let offer = negotiator.remoteDescription else { return [] }
        return Array(negotiator.rejections.filter { offer.media[$0.index].kind == .video }.prefix(4))
    }

    private func counting<Value>(_ body: () throws(ForwardError) -> Value) throws(ForwardError) -> Value {
        do throws(ForwardError) { return try body() } catch {
            admissions.add(error)
            throw error
        }
    }

    private func admit(
        _ request: SessionLedger.Entry, _ id: ICEPeerID, evicting evicted: [ICEPeerID], at now: MediaTime
    ) {
        // Viewers first: a stream that has none is forgotten with its publisher.
        for id in evicted where publishers[id] == nil { end(id, .evicted, at: now) }
        for id in evicted where publishers[id] != nil { end(id, .evicted, at: now) }
        admissions.evicted += evicted.count
        admissions.admitted += 1
        ledger.insert(request, id)
        let rejections = port[id]?.negotiator.rejections.filter { $0.reason != .rejectedByPeer } ?? []
        guard !rejections.isEmpty else { return }
        let session = ForwardSession(id: id, stream: request.stream, isPublisher: request.isPublisher)
        events.append(.sectionsRejected(session, rejections))
    }

    // MARK: Which publisher has a stream

    /// A publisher begins: with a stream of its own, or where nobody publishes; otherwise its first key frame is
    /// awaited.
    private func begin(_ publication: Publication, of name: String, at now: MediaTime) {
        guard let stream = streams[name] else {
            streamNumber += 1
            let stream = ForwardedStream(name, number: streamNumber, publication, at: now)
            streams[name] = stream
            publishers[publication.id, default: []].append(stream)
            updateInterest(in: stream, at: now)
            return
        }
        publishers[publication.id, default: []].append(stream)
        guard stream.publisher != nil else { return hand(stream, to: publication, at: now) }
        while stream.pending.count + 2 > max(settings.quotas.publishersPerStream, 2),
            let oldest = stream.pending.first(where: { ledger[$0.id]?.isHalfOpen == true }) ?? stream.pending.first
        {
            end(oldest.id, .evicted, at: now)
            admissions.evicted += 1
        }
        stream.pending.append(publication)
    }

    /// A publisher that was awaited takes over: its first key frame has come.
    func takeOver(_ stream: ForwardedStream, by id: ICEPeerID, at now: MediaTime) {
        guard let index = stream.pending.firstIndex(where: { $0.id == id }) else { return }
        let publication = stream.pending.remove(at: index)
        let former = [stream.publisher].compactMap(\.self) + stream.pending.prefix(index).map(\.id)
        hand(stream, to: publication, at: now)
        for former in former { end(former, .replaced, at: now) }
    }

    /// A publisher's frames are forwarded from now on. Viewers that can decode none of its codecs end.
    private func hand(_ stream: ForwardedStream, to publication: Publication, at now: MediaTime) {
        deadlines[stream.name] = nil
        for slot in stream.subscriptions
        where !publication.codecs.isEmpty && !publication.codecs.contains(where: slot.codecs.contains) {
            if members[slot.member]?.isViewer == true { end(slot.member, .streamEnded, at: now) }
        }
        stream.change(to: publication, at: now)
        enterRoom(stream)
        for slot in stream.subscriptions { members[slot.member]?.nextChoice = now }
        updateInterest(in: stream, at: now)
    }

    /// A publisher of a stream has ended: the next one that is awaited has it, or nobody.
    func lose(_ id: ICEPeerID, of stream: ForwardedStream, isEvicted: Bool, at now: MediaTime) {
        stream.pending.removeAll { $0.id == id }
        guard stream.publisher == id else { return }
        stream.lose()
        leaveRoom(stream)
        guard !isClosed else { return }
        if let next = stream.pending.popLast() { return hand(stream, to: next, at: now) }
        if stream.subscriptions.isEmpty, stream.listeners.isEmpty, isEvicted || !stream.hasBeenLive {
            // Nobody has seen anything of it.
            streams[stream.name] = nil
        } else {
            deadlines[stream.name] = now + settings.publisherTimeout
        }
    }
}

extension ForwardedStream {
    /// The sessions of a client's in this stream, the newest one last: those from which it says that it follows, or
    /// else those of its subject.
    fileprivate func publications(of client: ForwardClient, _ condition: PublishCondition) -> [Publication] {
        let all = [publication].compactMap(\.self) + pending
        if case .following(let named) = condition {
            let origins = all.filter { named.contains($0.id) }.map(\.origin)
            return all.filter { origins.contains($0.origin) }
        }
        guard let subject = client.subject else { return [] }
        return all.filter { $0.subject == subject }
    }
}

extension [MediaDescription] {
    /// Our sides of the sections of an offer that receive: one that sends too is a slot, and is received.
    fileprivate func slots(_ kind: MediaDescription.Kind, atMost limit: Int) -> [TransceiverSettings] {
        let receiving = filter { $0.kind == kind && [nil, .sendAndReceive, .receiveOnly].contains($0.direction) }
        return receiving.prefix(limit).map { section in
            TransceiverSettings(kind, section.direction == .receiveOnly ? .sendOnly : .sendAndReceive)
        }
    }
}
