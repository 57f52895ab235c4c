import RillRTP

/// Makes the sections of our answers: what an offered section and this side have in common (RFC 9429 §5.3.1).
struct AnsweredSection {
    let offer: RemoteSection
    let supported: SupportedFormats
    /// The formats that both have, with the offer's payload types.
    let formats: [FormatTable.Entry]
    /// The header extensions that both have, with the offer's IDs.
    let headerExtensions: [HeaderExtensionMapping]

    /// Compares an offered section with what this side can do; `nil` if there is no common codec.
    ///
    /// - Parameters:
    ///   - offer: the section.
    ///   - supported: what this side can do.
    ///   - shared: what payload types and IDs mean in the accepted sections before it. What contradicts them is
    ///     dropped.
    init?(_ offer: RemoteSection, _ supported: SupportedFormats, _ shared: inout SharedNumbers) {
        self.offer = offer
        self.supported = supported
        formats = supported.common(FormatTable(offer.media).filtered { shared.allows($0) })
        guard formats.contains(where: { !$0.key.isRepair }) else { return nil }
        for entry in formats { shared.note(entry) }
        var mappings: [HeaderExtensionMapping] = []
        for mapping in offer.media.headerExtensions {
            // Descriptors are read, not sent.
            guard let kind = mapping.kind, supported.headerExtensions.contains(kind),
                kind != .dependencyDescriptor || offer.direction.sends,
                let id = UInt8(exactly: mapping.id), id < 15 || (id > 15 && offer.allowsMixedExtensions),
                !mappings.contains(where: { $0.kind == kind }), shared.note(kind, id)
            else { continue }
            mappings.append(HeaderExtensionMapping(id: id, kind, direction: mapping.direction?.reversed))
        }
        headerExtensions = mappings
    }

    /// Makes the section, without the lines for the transport.
    func make(_ transceiver: Transceiver, canonicalName: String) -> MediaDescription {
        var media = MediaDescription(offer.media.kind, port: 9, transport: offer.media.transport)
        media.mid = offer.media.mid
        // One that the app stopped, and that cannot be rejected now, rests until our next offer takes it out of use.
        media.direction =
            transceiver.isStopping ? .inactive : transceiver.direction.intersection(offer.direction.reversed)
        media.isRTCPMultiplexed = true
        media.formats = formats.map { answered($0) }
        let wildcard = supported.feedback.intersection(.init(offer.media.feedback)).intersection(.wildcard)
        media.feedback = wildcard.messages
        media.headerExtensions = headerExtensions
        addLayers(transceiver, to: &media)
        if media.direction?.sends == true { media.addSending(transceiver, canonicalName: canonicalName) }
        return media
    }

    private func answered(_ entry: FormatTable.Entry) -> RTPFormat {
        var format = RTPFormat(entry.format.payloadType, encoding: entry.format.encoding)
        switch entry.key.name {
        case "rtx":
            format.parameters = entry.format.associatedPayloadType.map { [RTPFormat.Parameter("apt", "\($0)")] } ?? []
        // Audio is forwarded: its parameters are the other side's.
        case _ where offer.media.kind == .audio: format.parameters = entry.format.parameters
        default: format.parameters = entry.key.traits?.parameters ?? []
        }
        guard !entry.key.isRepair else { return format }
        var feedback = supported.feedback.intersection(.init(entry.format.feedback + offer.media.feedback))
        if !headerExtensions.contains(where: { $0.kind == .transportSequenceNumber }) {
            feedback.remove(.transportWideCongestionControl)
        }
        format.feedback = feedback.subtracting(.wildcard).messages
        return format
    }

    /// Adds the layers that we receive, and those that we send (RFC 8853 §5.3.2).
    private func addLayers(_ transceiver: Transceiver, to media: inout MediaDescription) {
        guard offer.media.kind == .video, headerExtensions.contains(where: { $0.kind == .rid }) else { return }
        let types = Dictionary(
            formats.map { ($0.format.payloadType, $0.format.payloadType) }, uniquingKeysWith: { first, _ in first })
        var simulcast = Simulcast()
        if media.direction?.receives == true {
            let offered = SectionLayers(offer.media, .send)
            let accepted = SectionLayers(sender: offered, receiver: offered, types)
            media.rids += accepted.rids.map { rid in
                RestrictionIdentifier(
                    rid.id, .receive, payloadTypes: rid.payloadTypes, restrictions: rid.restrictions)
            }
            simulcast.receive = accepted.streams
        }
        if media.direction?.sends == true, transceiver.sendsByRID {
            let offered = SectionLayers(offer.media, .receive)
            let wanted = Dictionary(offered.rids.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            for encoding in transceiver.sending {
                guard let rid = encoding.rid, let other = wanted[rid] else { continue }
                let limits = encoding.limits.tightened(by: .init(other.restrictions))
                media.rids.append(RestrictionIdentifier(rid, .send, restrictions: limits.restrictions))
                if !offered.streams.isEmpty {
                    simulcast.send.append(Simulcast.Stream([.init(rid, isPaused: !encoding.isActive)]))
                }
            }
        }
        if !simulcast.send.isEmpty || !simulcast.receive.isEmpty { media.simulcast = simulcast }
    }
}

/// What payload types and header extension IDs mean in all sections of a transport (RFC 9143 §9, §10).
struct SharedNumbers {
    private var types: [PayloadType: FormatKey] = [:]
    private var extensions = HeaderExtensionMap()

    /// Whether a format does not contradict the sections before.
    func allows(_ entry: FormatTable.Entry) -> Bool {
        types[entry.format.payloadType] ?? entry.key == entry.key
    }

    mutating func note(_ entry: FormatTable.Entry) { types[entry.format.payloadType] = entry.key }

    /// Takes note of an extension; returns `false` if it contradicts the sections before.
    mutating func note(_ kind: HeaderExtensionKind, _ id: UInt8) -> Bool {
        guard extensions[kind] ?? id == id else { return false }
        // The ID may be 0, or another kind's.
        return (try? extensions.set(kind, id: id)) != nil
    }
}

extension FormatTable {
    /// The table without the formats that do not fit.
    func filtered(_ fits: (Entry) -> Bool) -> FormatTable {
        FormatTable(entries.filter(fits))
    }
}
