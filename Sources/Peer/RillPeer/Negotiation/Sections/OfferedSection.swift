import RillRTP

/// Makes the sections of our offers.
struct OfferedSection {
    let settings: NegotiationSettings
    let canonicalName: String
    /// Whether the other side is known to take the two forms of header extensions mixed.
    let allowsTwoBytes: Bool

    /// Makes the section of a transceiver, without the lines for the transport.
    ///
    /// - Parameters:
    ///   - transceiver: the transceiver.
    ///   - mid: its MID.
    ///   - previous: the section in our last description, whose numbers it keeps.
    ///   - numbering: the numbers of the session.
    func make(
        _ transceiver: Transceiver, mid: String, previous: MediaDescription?, _ numbering: inout Numbering
    ) -> MediaDescription {
        let supported = SupportedFormats(settings, transceiver.kind, preferences: transceiver.codecPreferences)
        var media = MediaDescription(transceiver.kind, port: 9, transport: "UDP/TLS/RTP/SAVPF")
        media.mid = mid
        media.direction = transceiver.direction
        media.isRTCPMultiplexed = true
        addFormats(supported, to: &media, previous, &numbering)
        for kind in settings.headerExtensions where supported.headerExtensions.contains(kind) {
            let own = previous?.headerExtensions.first { $0.kind == kind }.flatMap { UInt8(exactly: $0.id) }
            guard let id = own ?? numbering.headerExtension(kind, allowsTwoBytes: allowsTwoBytes),
                !media.headerExtensions.contains(where: { $0.id == id })
            else { continue }
            media.headerExtensions.append(HeaderExtensionMapping(id: id, kind))
        }
        if transceiver.kind == .video, media.headerExtensions.contains(where: { $0.kind == .rid }) {
            addLayers(transceiver, to: &media)
        }
        if transceiver.direction.sends { media.addSending(transceiver, canonicalName: canonicalName) }
        return media
    }

    private func addFormats(
        _ supported: SupportedFormats, to media: inout MediaDescription, _ previous: MediaDescription?,
        _ numbering: inout Numbering
    ) {
        let old = previous.map { FormatTable($0) }
        var types: [FormatKey: PayloadType] = [:]
        var taken: Set<PayloadType> = []
        for key in supported.offeredKeys {
            guard let type = old?[key]?.payloadType ?? numbering.payloadType(key), taken.insert(type).inserted else {
                continue
            }
            types[key] = type
        }
        for key in supported.offeredKeys {
            guard let type = types[key] else { continue }
            var format = RTPFormat(type, encoding: key.encoding)
            if key.name == "rtx" {
                guard let original = supported.offeredKeys.first(where: { $0.retransmission == key && !$0.isRTX }),
                    let associated = types[original]
                else { continue }
                format.parameters = [RTPFormat.Parameter("apt", "\(associated)")]
            }
            if let traits = key.traits { format.parameters = traits.parameters }
            if !key.isRepair { format.feedback = supported.feedback.subtracting(.wildcard).messages }
            media.formats.append(format)
        }
        media.feedback = supported.feedback.intersection(.wildcard).messages
    }

    private func addLayers(_ transceiver: Transceiver, to media: inout MediaDescription) {
        var simulcast = Simulcast()
        let received = transceiver.receivedRIDs.isEmpty ? transceiver.agreedRIDs : transceiver.receivedRIDs
        // A name belongs to one direction (RFC 8851 §10), and what is received stays.
        let isTaken = transceiver.sending.contains { $0.rid.map(received.contains) ?? false }
        if transceiver.direction.sends, transceiver.sendsByRID, !isTaken {
            for encoding in transceiver.sending {
                guard let rid = encoding.rid else { continue }
                media.rids.append(RestrictionIdentifier(rid, .send, restrictions: encoding.limits.restrictions))
                simulcast.send.append(Simulcast.Stream([.init(rid, isPaused: !encoding.isActive)]))
            }
            if simulcast.send.count == 1 { simulcast.send = [] }
        }
        if transceiver.direction.receives {
            for rid in received {
                media.rids.append(RestrictionIdentifier(rid, .receive))
                simulcast.receive.append([rid])
            }
            // One stream is no simulcast; its a=rid suffices.
            if simulcast.receive.count == 1 { simulcast.receive = [] }
        }
        if !simulcast.send.isEmpty || !simulcast.receive.isEmpty { media.simulcast = simulcast }
    }
}

extension Transceiver {
    /// Whether its encodings have names in a description: there are several, or one that was agreed on by its name.
    var sendsByRID: Bool {
        sending.count > 1 || sending.first?.rid.map(agreedSendingRIDs.contains) ?? false
    }
}

extension FormatKey {
    fileprivate var isRTX: Bool { name == "rtx" }

    /// The name, in the case in which it is registered, and the clock rate.
    fileprivate var encoding: RTPFormat.Encoding {
        RTPFormat.Encoding(
            traits?.name ?? name, clockRate: clockRate, channels: channels == "1" ? nil : channels)
    }
}
