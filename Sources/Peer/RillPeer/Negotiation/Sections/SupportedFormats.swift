import RillRTP

/// The formats, extensions and feedback that a section of ours may have.
struct SupportedFormats {
    /// The codecs, preferred first.
    let codecs: [FormatKey]
    /// Whether the order is the transceiver's own, and overrides that of an offer.
    let hasOwnOrder: Bool
    let usesRetransmission: Bool
    let usesFEC: Bool
    let feedback: StreamDescription.Feedback
    let headerExtensions: Set<HeaderExtensionKind>

    init(_ settings: NegotiationSettings, _ kind: MediaDescription.Kind, preferences: [RTPFormat.Encoding]) {
        let isVideo = kind == .video
        let all = isVideo ? settings.videoCodecs.map { FormatKey($0) } : settings.audioCodecs.map { FormatKey($0) }
        let preferred = preferences.map { FormatKey($0) }.filter { all.contains($0) }
        var seen: Set<FormatKey> = []
        codecs = (preferred.isEmpty ? all : preferred).filter { seen.insert($0).inserted }
        hasOwnOrder = !preferred.isEmpty
        usesRetransmission = isVideo && settings.usesRetransmission
        usesFEC = isVideo && settings.usesFEC
        let extensions = Set(
            settings.headerExtensions.filter { isVideo || SupportedFormats.audioExtensions.contains($0) })
        var feedback = isVideo ? settings.feedback : settings.feedback.intersection(SupportedFormats.audioFeedback)
        // It needs the extension that numbers the packets.
        if !extensions.contains(.transportSequenceNumber) { feedback.remove(.transportWideCongestionControl) }
        self.feedback = feedback
        headerExtensions = extensions
    }

    private static let audioFeedback: StreamDescription.Feedback = [
        .transportWideCongestionControl, .congestionControlFeedback,
    ]
    private static let audioExtensions: Set<HeaderExtensionKind> = [.mid, .absoluteSendTime, .transportSequenceNumber]

    /// The keys of an offer, in the order in which Chromium writes them: each codec with its retransmissions, then FEC.
    var offeredKeys: [FormatKey] {
        var keys = codecs.flatMap { usesRetransmission ? [$0, $0.retransmission] : [$0] }
        if usesFEC {
            keys += usesRetransmission ? [.red, FormatKey.red.retransmission, .ulpfec] : [.red, .ulpfec]
        }
        return keys
    }

    /// The formats of a table that this side has too: in its order, or, if the transceiver has its own, in that.
    ///
    /// Repair formats need what they repair; RED and ULPFEC need each other. Empty if there is no codec.
    func common(_ table: FormatTable) -> [FormatTable.Entry] {
        let known = Set(codecs)
        var accepted: Set<FormatKey> = []
        for entry in table.entries where known.contains(entry.key) { accepted.insert(entry.key) }
        guard !accepted.isEmpty else { return [] }
        if usesFEC, table[.red] != nil, table[.ulpfec] != nil { accepted.formUnion([.red, .ulpfec]) }
        if usesRetransmission {
            accepted.formUnion(accepted.filter { $0 != .ulpfec }.map(\.retransmission))
        }
        let entries = table.entries.filter { accepted.contains($0.key) }
        guard hasOwnOrder else { return entries }
        let first = codecs.compactMap { codec in entries.first { $0.key == codec } }
        return first + entries.filter { !known.contains($0.key) }
    }
}
