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
