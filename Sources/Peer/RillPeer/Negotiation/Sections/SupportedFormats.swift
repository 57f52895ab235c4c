import RillCore
import RillRTP

/// What a payload type stands for, whatever its number: two sides mean the same format if their keys are equal.
struct FormatKey: Hashable {
    /// The name, lowercased: `opus`, `rtx`.
    var name: String
    /// The clock rate in Hz.
    var clockRate: UInt32
    /// The number of audio channels; 1 if it is not written.
    var channels = "1"
    /// What else distinguishes formats of that name: a profile, or the name of what RTX repairs.
    var variant = ""

    static let red = FormatKey(name: "red", clockRate: UInt32(RTPTimestamp.videoClockRate))
    static let ulpfec = FormatKey(name: "ulpfec", clockRate: UInt32(RTPTimestamp.videoClockRate))

    /// The key of a codec that the settings or a transceiver name.
    init(_ encoding: RTPFormat.Encoding) {
        self.init(name: encoding.name.lowercased(), clockRate: encoding.clockRate, channels: encoding.channels ?? "1")
        variant = traits?.ownVariant ?? ""
    }

    init(_ codec: VideoCodec) { self.init(RTPFormat.Encoding(codec.rawValue)) }

    init(name: String, clockRate: UInt32, channels: String = "1", variant: String = "") {
        self.name = name
        self.clockRate = clockRate
        self.channels = channels
        self.variant = variant
    }

    /// What is known of the codec; `nil` for one that is not in the table.
    var traits: CodecTraits? { CodecTraits.named(name) }

    /// The key of the retransmissions of a format.
    var retransmission: FormatKey { FormatKey(name: "rtx", clockRate: clockRate, variant: "\(name);\(variant)") }

    /// Whether packets of the format repair others.
    var isRepair: Bool { ["rtx", "red", "ulpfec", "flexfec-03"].contains(name) }
}

/// The formats of a section with their keys, in their order. Each key occurs once.
struct FormatTable {
    /// A format and its key.
    struct Entry {
        var key: FormatKey
        var format: RTPFormat
    }

    private(set) var entries: [Entry] = []
    private var positions: [FormatKey: Int] = [:]

    /// The formats of a section. Left out are those without a name, repeated ones, and payload types that could be
    /// mistaken for RTCP (RFC 5761 §4).
    init(_ media: MediaDescription) {
        var keys: [PayloadType: FormatKey] = [:]
        for format in media.formats where !format.isNamed("rtx") {
            keys[format.payloadType] = FormatTable.key(of: format)
        }
        for format in media.formats {
            guard !(64...95).contains(format.payloadType.rawValue) else { continue }
            let key =
                format.isNamed("rtx")
                ? format.associatedPayloadType.flatMap { keys[$0]?.retransmission } : keys[format.payloadType]
            guard let key, positions[key] == nil else { continue }
            positions[key] = entries.count
            entries.append(Entry(key: key, format: format))
        }
    }

    /// A table of those formats.
    init(_ entries: [Entry]) {
        self.entries = entries
        for (index, entry) in entries.enumerated() { positions[entry.key] = index }
    }

    subscript(key: FormatKey) -> RTPFormat? { positions[key].map { entries[$0].format } }

    private static func key(of format: RTPFormat) -> FormatKey? {
        guard let encoding = format.encoding ?? CodecTraits.staticFormat(format.payloadType)?.encoding else {
            return nil
        }
        var key = FormatKey(encoding)
        key.variant = key.traits?.variant(of: format.parameters) ?? ""
        return key
    }
}

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
            settings.headerExtensions.filter {
                isVideo ? $0 != .audioLevel : SupportedFormats.audioExtensions.contains($0)
            })
        var feedback = isVideo ? settings.feedback : settings.feedback.intersection(SupportedFormats.audioFeedback)
        // It needs the extension that numbers the packets.
        if !extensions.contains(.transportSequenceNumber) { feedback.remove(.transportWideCongestionControl) }
        self.feedback = feedback
        headerExtensions = extensions
    }

    private static let audioFeedback: StreamDescription.Feedback = [
        .transportWideCongestionControl, .congestionControlFeedback,
    ]
    private static let audioExtensions: Set<HeaderExtensionKind> = [
        .mid, .absoluteSendTime, .transportSequenceNumber, .audioLevel,
    ]

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

extension SupportedFormats {
    /// The rejection of a section that has no codec of these.
    func lack(_ media: MediaDescription) -> SectionRejection.Reason {
        var offered: [String] = []
        for entry in FormatTable(media).entries where !entry.key.isRepair && offered.count < 16 {
            let name = String(entry.distinctName.prefix(40))
            if !offered.contains(name) { offered.append(name) }
        }
        return .noCommonCodec(offered: offered, supported: codecs.map { $0.traits?.name ?? $0.name })
    }
}

extension FormatTable.Entry {
    /// The codec's name, with what is other than in Rill's format of that name: `VP9 profile-id=1`.
    fileprivate var distinctName: String {
        guard let encoding = format.encoding, let traits = key.traits else { return format.encoding?.name ?? key.name }
        var name = encoding.name
        if FormatKey(traits.encoding).channels != key.channels || traits.encoding.clockRate != key.clockRate {
            name += "/\(key.clockRate)/\(key.channels)"
        }
        if case .parameter(let parameter, _) = traits.variant, key.variant != traits.ownVariant {
            name += " \(parameter)=\(key.variant)"
        }
        return name
    }
}

/// The formats of a section that both sides have, in the answerer's order, with the numbers of both.
///
/// Each side sends with the payload types of the other's description (RFC 3264 §5.1, §6.1).
struct FormatAgreement {
    /// A format with the payload types and parameters of both.
    struct Entry {
        var key: FormatKey
        var local: RTPFormat
        var remote: RTPFormat
    }

    private(set) var entries: [Entry] = []
    /// The feedback for all formats that both have.
    let wildcardFeedback: [RTCPFeedback]

    /// - Parameters:
    ///   - supported: what this side can do.
    ///   - local: our section.
    ///   - remote: the other side's.
    ///   - answer: the one that answers.
    init(_ supported: SupportedFormats, local: MediaDescription, remote: MediaDescription, answer: DescriptionSide) {
        let (ours, theirs) = (FormatTable(local), FormatTable(remote))
        let common = supported.common(answer == .local ? ours : theirs)
        for entry in common {
            guard var mine = ours[entry.key], var other = theirs[entry.key] else { continue }
            let feedback = supported.feedback.intersection(.init(mine.feedback + local.feedback))
                .intersection(.init(other.feedback + remote.feedback))
            mine.feedback = feedback.subtracting(.wildcard).messages
            other.feedback = mine.feedback
            entries.append(Entry(key: entry.key, local: mine, remote: other))
        }
        wildcardFeedback =
            supported.feedback.intersection(.init(local.feedback))
            .intersection(.init(remote.feedback)).messages
    }

    /// The name of the preferred codec; `nil` if none is common.
    var codec: Entry? { entries.first { !$0.key.isRepair } }

    /// The payload types of the other side that correspond to ours.
    var remoteTypes: [PayloadType: PayloadType] { types { ($0.local, $0.remote) } }
    /// Our payload types that correspond to those of the other side.
    var localTypes: [PayloadType: PayloadType] { types { ($0.remote, $0.local) } }

    private func types(_ pair: (Entry) -> (RTPFormat, RTPFormat)) -> [PayloadType: PayloadType] {
        var types: [PayloadType: PayloadType] = [:]
        for entry in entries {
            let (from, to) = pair(entry)
            types[from.payloadType] = to.payloadType
        }
        return types
    }
}
