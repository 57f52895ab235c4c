import RillRTP

extension Negotiator {
    /// Makes an offer (RFC 9429 §5.2). Nothing changes until it is set.
    ///
    /// Transceivers keep their sections. New ones take sections that are out of use, or are appended.
    ///
    /// - Parameter transport: the transport. Other credentials than before restart ICE.
    /// - Throws: `cannotMake`, `noFingerprint`, `noCodec` or `tooManySections`.
    public mutating func makeOffer(_ transport: LocalTransport) throws(NegotiationError) -> SessionDescription {
        guard signalingState == .stable || signalingState == .haveLocalOffer else {
            throw .cannotMake(.offer, in: signalingState)
        }
        guard !transport.fingerprints.isEmpty else { throw .noFingerprint }
        let places = try offerPlaces()
        let kept = numbering
        var sections: [MediaDescription]
        do throws(NegotiationError) {
            sections = try offerSections(places)
        } catch {
            numbering = kept
            throw error
        }
        let bundle = sections.filter { !$0.isOutOfUse }.compactMap(\.mid)
        dress(&sections, transport, tag: bundle.first)
        var description = SessionDescription(media: sections)
        description.otherAttributes = TransportLines(transport: transport, setup: "actpass")
            .sessionAttributes(bundling: bundle)
        sign(&description)
        draft = Draft(isOffer: true, description: description, transport: transport, places: places)
        return description
    }

    /// Where each transceiver is offered: in its section, in one that is out of use, or in a new one.
    ///
    /// The first section in use describes the transport for all. No other comes before it as long as there is room
    /// behind: browsers make another transport for another first one (Chromium orders the group of its answers by
    /// section).
    private func offerPlaces() throws(NegotiationError) -> [TransceiverID: Draft.Place] {
        var places: [TransceiverID: Draft.Place] = [:]
        var taken: Set<Int> = []
        for transceiver in transceivers {
            guard let index = transceiver.index, let mid = transceiver.mid else { continue }
            places[transceiver.id] = Draft.Place(index: index, mid: mid)
            taken.insert(index)
        }
        let count = localDescription?.media.count ?? 0
        let tagged = transceivers.first { $0.mid == taggedMID && !$0.isStopping }?.index ?? -1
        // Firefox refuses to turn a section for data into one for media.
        let unused = (0..<count).filter { !taken.contains($0) && localDescription?.media[$0].isRTP == true }
        let wanted = transceivers.count { $0.index == nil }
        let behind = unused.filter { $0 > tagged }
        let hasRoom = count + wanted - behind.count <= settings.maximumSectionCount
        var free = (hasRoom ? behind : unused)[...]
        var appended = count
        var mids = Set(transceivers.compactMap(\.mid))
        for transceiver in transceivers where transceiver.index == nil {
            let mid = numbering.newMID(besides: mids)
            mids.insert(mid)
            var index = appended
            if let recycled = free.popFirst() { index = recycled } else { appended += 1 }
            places[transceiver.id] = Draft.Place(index: index, mid: mid)
        }
        guard appended <= settings.maximumSectionCount else {
            throw .tooManySections(count: appended, limit: settings.maximumSectionCount)
        }
        return places
    }

    private mutating func offerSections(
        _ places: [TransceiverID: Draft.Place]
    ) throws(NegotiationError) -> [MediaDescription] {
        let previous = localDescription?.media ?? []
        let maker = OfferedSection(
            settings: settings, canonicalName: canonicalName,
            allowsTwoBytes: remoteDescription.map { SessionAttributes($0).allowsMixedExtensions } ?? false)
        // Sections out of use stay so, unless a transceiver takes them.
        var sections = previous.map { MediaDescription.rejected(like: $0) }
        let placed = transceivers.compactMap { transceiver in places[transceiver.id].map { (transceiver, $0) } }
        for (transceiver, place) in placed.sorted(by: { $0.1.index < $1.1.index }) {
            let old = transceiver.index == nil ? nil : previous[place.index]
            guard !transceiver.isStopping else { continue }
            let section = maker.make(transceiver, mid: place.mid, previous: old, &numbering)
            guard FormatTable(section).entries.contains(where: { !$0.key.isRepair }) else {
                throw .noCodec(transceiver.kind)
            }
            if place.index < sections.count { sections[place.index] = section } else { sections.append(section) }
        }
        return sections
    }

    /// Adds the lines of the transport. The section with the tag describes it; others that have never been accepted can
    /// only be accepted together with that (max-bundle, RFC 9429 §4.1.1).
    private func dress(_ sections: inout [MediaDescription], _ transport: LocalTransport, tag: String?) {
        let lines = TransportLines(transport: transport, setup: "actpass")
        let accepted = Set(self.sections.map(\.mid))
        for index in sections.indices where !sections[index].isOutOfUse {
            let isTagged = sections[index].mid == tag
            let isNew = sections[index].mid.map { !accepted.contains($0) } ?? true
            lines.add(to: &sections[index], isTagged: isTagged, isBundleOnly: isNew && !isTagged)
            if isTagged { sections[index].otherAttributes.append(.init("rtcp-mux-only")) }
        }
    }

    /// Whether an exchange under way ends the transport: the section that describes it goes out of use.
    package var endsTransport: Bool {
        guard let taggedMID else { return false }
        if let pendingLocalDescription {
            return !pendingLocalDescription.media.contains { $0.mid == taggedMID && !$0.isOutOfUse }
        }
        if let pendingRemoteDescription {
            return !pendingRemoteDescription.media.contains { $0.mid == taggedMID && $0.port != 0 }
        }
        return sections.isEmpty
    }

    /// Adds the origin. The version rises by one if the description differs from the last one (RFC 9429 §5.2.2).
    mutating func sign(_ description: inout SessionDescription) {
        description.origin = SessionDescription.Origin(sessionID: sessionID, version: version)
        if description == draft?.description || description == localDescription { return }
        version += 1
        description.origin.version = version
    }
}

extension MediaDescription {
    /// Whether the section of a description of ours is rejected or out of use, rather than bundled.
    var isOutOfUse: Bool {
        guard isRTP else { return true }
        return port == 0 && direction == .inactive && !otherAttributes.contains { $0.name == "bundle-only" }
    }
}
