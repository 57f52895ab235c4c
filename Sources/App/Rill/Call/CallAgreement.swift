import RillCore
import RillPeer
import RillRTP
import RillReceive
import RillSend
import RillSession
import RillThreads

/// What a participant and we have agreed on: by offer and answer, by a description, or without any.
struct CallAgreement {
    /// All sections.
    let sections: [NegotiatedSection]
    /// The streams that the participant sends, in order, among them those that cannot be received.
    let described: [StreamDescription]
    /// What we send, and in which section.
    private let sent: [(transceiver: TransceiverID, stream: SentStream)]
    /// Whether payload types and repair were agreed on; otherwise they are those of our settings.
    private let isAgreed: Bool

    /// What was negotiated.
    ///
    /// - Parameters:
    ///   - sections: all sections.
    ///   - carried: our layers that they carry.
    init(_ sections: [NegotiatedSection], carrying carried: [TransceiverID: [StreamLayer.RID]]) {
        self.sections = sections
        described = sections.filter { $0.kind == .video }.flatMap(\.receiving)
        sent = sections.filter { $0.kind == .video }.flatMap { section in
            section.sentStreams(carried[section.transceiver] ?? []).map { (section.transceiver, $0) }
        }
        isAgreed = true
    }

    /// What a participant's settings say; without descriptions, they have streams like ours.
    ///
    /// - Parameters:
    ///   - participant: the participant's settings.
    ///   - call: those of the call.
    ///   - ours: the layers that the call sends; none without a source.
    init(_ participant: ParticipantSettings, _ call: VideoCallSettings, _ ours: [LayerSettings]) {
        if let sections = participant.sections {
            self = CallAgreement(sections, carrying: participant.carried)
            return
        }
        let layers = ours.map(\.rid).filter { participant.layers?.contains($0) ?? true }
        let sent =
            participant.sent
            ?? zip(call.streams(layers), layers).map { SentStream($0, of: [$1]) }
        described = participant.streams ?? call.streams()
        // What cannot be received is reported to the caller of `show`. An app that does not show it has a call all the
        // same.
        let receiving = described.filter { (try? StreamReceiverSettings($0, ssrc: SSRC(0))) != nil }
        let section = NegotiatedSection(sending: sent.map(\.description), receiving: receiving)
        sections = [section]
        self.sent = sent.map { (section.transceiver, $0) }
        isAgreed = participant.sent != nil
    }

    /// Finds the places of the layers that a stream carries.
    ///
    /// - Throws: ``CallError/noSuchLayer(_:sent:)``.
    func places(
        among layers: [LayerSettings]
    ) throws(CallError) -> (TransceiverID, StreamDescription) -> [Int] {
        var known: [(transceiver: TransceiverID, description: StreamDescription, places: [Int])] = []
        for (transceiver, stream) in sent {
            var places: [Int] = []
            for rid in stream.layers {
                guard let place = layers.firstIndex(where: { $0.rid == rid }) else {
                    throw .noSuchLayer(rid, sent: layers.map(\.rid))
                }
                places.append(place)
            }
            known.append((transceiver, stream.description, places))
        }
        return { [known] transceiver, description in
            known.first { $0.transceiver == transceiver && $0.description.isStream(of: description) }?.places ?? []
        }
    }

    /// Sets what signaling does not say as our settings have it.
    func adjust(_ stream: inout RTPStreamSettings, of layers: [LayerSettings], _ send: SendSettings) {
        stream.temporalLayerCount = layers.map { $0.encoder.temporalPattern.layerCount }.max() ?? 1
        stream.maximumPacketByteCount = send.maximumPacketSize
        stream.payloadFormat = send.payloadFormat
        stream.referenceSignaling = send.referenceSignaling
        if !isAgreed { stream.fec = send.fec } else if let fec = send.fec { stream.fec?.percentage = fec.percentage }
    }
}

extension NegotiatedSection {
    /// Our layers on the streams of the section: one on each by simulcast, or all on the only one.
    fileprivate func sentStreams(_ layers: [StreamLayer.RID]) -> [SentStream] {
        guard !layers.isEmpty else { return [] }
        guard sending.count > 1 || sending.first?.rid != nil else {
            return sending.map { SentStream($0, of: layers) }
        }
        return sending.enumerated().compactMap { index, stream in
            let named = layers.first { $0.description == stream.rid } ?? (index < layers.count ? layers[index] : nil)
            return named.map { SentStream(stream, of: [$0]) }
        }
    }
}

extension PeerMediaSettings {
    /// What a call and a participant's settings say of their media. The seed is the system's: a key must never be used
    /// twice with the same SSRC and sequence number.
    init(_ call: VideoCallSettings, _ participant: ParticipantSettings, _ clock: LiveClock) {
        self.init(protection: participant.isProtected ? .keys : .none)
        canonicalName = call.send.canonicalName
        wallClockAtZero = .unixEpoch.advanced(byNanoseconds: clock.wallClockAtZero)
        (congestion, timeouts) = (call.send.congestion, call.timeouts)
        expectsReports = participant.expectsReports
        if participant.sections == nil { usesReducedSizeRTCP = participant.usesReducedSizeRTCP }
    }
}

extension PeerError {
    /// The error as a call throws it.
    var ofCall: any Error {
        switch self {
        case .stream(let error): CallError.invalidDescription(error)
        case .session(let error): PipelineError(error)
        default: self
        }
    }
}
