import RillRTP

/// Which sections of an offer an answer accepts, and why it rejects the others.
struct OfferResults {
    /// What is done with a section.
    enum SectionResult {
        case accepted(AnsweredSection)
        case rejected(SectionRejection.Reason)
    }

    private(set) var list: [SectionResult] = []
    /// The MIDs of the group that shares the transport, in its order; empty without a group.
    private(set) var bundle: [String] = []
    /// The section of which the offer's transport is taken; `nil` if none is accepted.
    private(set) var transportIndex: Int?
    /// The section of the answer that describes the transport: the first accepted one of the group.
    private(set) var taggedIndex: Int?

    /// Whether there is a group.
    var isBundled: Bool { !bundle.isEmpty }

    init(_ offer: RemoteDescription, _ negotiator: Negotiator) {
        var shared = SharedNumbers()
        var streamCount = 0
        var receivedCounts: [MediaDescription.Kind: Int] = [:]
        let stopping = Set(negotiator.transceivers.filter(\.isStopping).compactMap(\.index))
        // First without regard to the transport.
        let obstacles = offer.sections.map { OfferResults.obstacle($0, negotiator.settings) }
        var reasons = obstacles.enumerated().map { stopping.contains($0) ? .stopped : $1 }
        let chosen = chooseTransport(offer, negotiator, usable: reasons.map { $0 == nil })
        // RFC 9143 §7.3.3: an answer cannot reject the tagged section of the offer while it accepts others of the
        // group.
        if let tagged = bundle.first.flatMap({ offer.positions[$0] }), reasons[tagged] == .stopped,
            chosen.contains(where: { reasons[$0] == nil })
        {
            reasons[tagged] = obstacles[tagged]
        }
        let preferences = OfferResults.preferences(negotiator)
        for section in offer.sections {
            if reasons[section.index] == nil, !chosen.contains(section.index) { reasons[section.index] = .notBundled }
            if let reason = reasons[section.index] {
                list.append(.rejected(reason))
                continue
            }
            let supported = SupportedFormats(
                negotiator.settings, section.media.kind, preferences: preferences[section.index] ?? [])
            let kind = section.media.kind
            if section.direction.sends, let limit = negotiator.settings.maximumReceivedCounts[kind],
                receivedCounts[kind, default: 0] >= limit
            {
                list.append(.rejected(.tooManySections(kind, limit: limit)))
                continue
            }
            streamCount += max(1, section.media.rids.count)
            guard streamCount <= negotiator.settings.maximumStreamCount else {
                list.append(.rejected(.tooManyStreams(limit: negotiator.settings.maximumStreamCount)))
                continue
            }
            if let answered = AnsweredSection(section, supported, &shared) {
                list.append(.accepted(answered))
                if section.direction.sends { receivedCounts[kind, default: 0] += 1 }
            } else {
                list.append(.rejected(supported.lack(section.media)))
            }
        }
        chooseTagged(offer)
    }

    /// The rejections, for the outcome.
    func rejections(_ offer: RemoteDescription) -> [SectionRejection] {
        zip(offer.sections, list).compactMap { section, result in
            guard case .rejected(let reason) = result else { return nil }
            return SectionRejection(index: section.index, mid: section.media.mid, reason: reason)
        }
    }

    /// Whether a section is accepted.
    func accepts(_ index: Int) -> Bool { if case .accepted = list[index] { true } else { false } }

    /// Why a section cannot be accepted, whatever the transport; `nil` if it can.
    private static func obstacle(_ section: RemoteSection, _ settings: NegotiationSettings) -> SectionRejection.Reason?
    {
        guard !section.isRejected else { return .rejectedByPeer }
        let kind = section.media.kind
        guard kind == .audio || kind == .video else { return .kind(kind.rawValue) }
        guard section.isSecureRTP else { return .transport(section.media.transport) }
        guard section.media.isRTCPMultiplexed else { return .notMultiplexed }
        let supported = SupportedFormats(settings, kind, preferences: [])
        return supported.common(FormatTable(section.media)).isEmpty ? supported.lack(section.media) : nil
    }

    private static func preferences(_ negotiator: Negotiator) -> [Int: [RTPFormat.Encoding]] {
        var preferences: [Int: [RTPFormat.Encoding]] = [:]
        for transceiver in negotiator.transceivers {
            if let index = transceiver.index { preferences[index] = transceiver.codecPreferences }
        }
        return preferences
    }

    /// Chooses the sections that share the one transport: a group, or a single section if there is no group.
    ///
    /// What is in use already comes first. Then it is the first group that has anything usable; or the first video
    /// section, or else the first section.
    private mutating func chooseTransport(
        _ offer: RemoteDescription, _ negotiator: Negotiator, usable: [Bool]
    ) -> Set<Int> {
        let inUse = Set(negotiator.sections.map(\.index))
        let groups = offer.attributes.bundles.map { mids in (mids, Set(mids.compactMap { offer.positions[$0] })) }
        let candidates = groups.filter { $0.1.contains { usable[$0] } }
        if let group = candidates.first(where: { !$0.1.isDisjoint(with: inUse) }) ?? candidates.first {
            var seen: Set<String> = []
            bundle = group.0.filter { seen.insert($0).inserted }
            return group.1
        }
        // A section that is only for a group is not usable outside it.
        let single = offer.sections.filter { usable[$0.index] && !$0.isBundleOnly }
        let choice =
            single.first { inUse.contains($0.index) } ?? single.first { $0.media.kind == .video } ?? single.first
        return choice.map { [$0.index] } ?? []
    }

    private mutating func chooseTagged(_ offer: RemoteDescription) {
        guard isBundled else {
            taggedIndex = list.indices.first { accepts($0) }
            transportIndex = taggedIndex
            return
        }
        let group = bundle.compactMap { offer.positions[$0] }
        taggedIndex = group.first { accepts($0) }
        guard taggedIndex != nil else { return }
        // RFC 9143 §7.3.1: the first section that is accepted and has a port of its own; if there is none, the first of
        // the group that says anything, whose section may itself be rejected.
        let described = group.filter { offer.sections[$0].transport.usernameFragment != nil }
        transportIndex =
            described.first { accepts($0) && offer.sections[$0].media.port != 0 }
            ?? described.first { offer.sections[$0].media.port != 0 } ?? described.first ?? taggedIndex
    }
}
