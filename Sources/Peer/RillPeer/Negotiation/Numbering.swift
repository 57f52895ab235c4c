import RillRTP

/// The payload types, header extension IDs and MIDs of a whole session. Our offers never use one for something else.
struct Numbering: Equatable {
    private var types: [FormatKey: PayloadType] = [:]
    private var meanings: [PayloadType: FormatKey] = [:]
    private var takenTypes: Set<PayloadType> = []
    private var extensions: [HeaderExtensionKind: UInt8] = [:]
    private var takenExtensions: Set<UInt16> = []
    private var mids: Set<String> = []

    /// Takes note of what a section of an offer uses. Answers to offers of theirs have the same numbers.
    mutating func note(_ media: MediaDescription) {
        if let mid = media.mid { note(mid: mid) }
        guard media.isRTP else { return }
        takenTypes.formUnion(media.formats.map(\.payloadType))
        for entry in FormatTable(media).entries { assign(entry.format.payloadType, to: entry.key) }
        for mapping in media.headerExtensions {
            takenExtensions.insert(mapping.id)
            guard let kind = mapping.kind, let id = UInt8(exactly: mapping.id) else { continue }
            for (other, number) in extensions where number == id && other != kind { extensions[other] = nil }
            extensions[kind] = id
        }
    }

    /// Takes note of what the section of an answer uses: not as ours, but our offers use it for nothing else.
    mutating func reserve(_ media: MediaDescription) {
        if let mid = media.mid { note(mid: mid) }
        guard media.isRTP else { return }
        takenTypes.formUnion(media.formats.map(\.payloadType))
        takenExtensions.formUnion(media.headerExtensions.map(\.id))
    }

    /// The last meaning of a payload type counts, should the other side give it another one.
    private mutating func assign(_ type: PayloadType, to key: FormatKey) {
        if let old = meanings.updateValue(key, forKey: type), old != key, types[old] == type { types[old] = nil }
        types[key] = type
    }

    /// Takes note of a MID. Very old ones are forgotten, so that a session without end needs a bounded memory.
    mutating func note(mid: String) {
        if mids.count >= Numbering.maximumMIDCount { mids = [] }
        mids.insert(mid)
    }

    private static let maximumMIDCount = 1 << 14

    /// The lowest number that is no MID yet, and is none of `others`.
    func newMID(besides others: Set<String>) -> String {
        var number = mids.count + others.count
        // Mostly they are the numbers from 0, and the next one is free.
        for candidate in 0..<(number + 1) where !mids.contains("\(candidate)") && !others.contains("\(candidate)") {
            number = candidate
            break
        }
        return "\(number)"
    }

    /// The payload type of a format; `nil` if all are taken. Dynamic types come first, then those of RFC 5761 §4 that
    /// are unassigned.
    mutating func payloadType(_ key: FormatKey) -> PayloadType? {
        if let type = types[key] { return type }
        let preferred: [UInt8] = key.name == "opus" ? [111] : []
        for number in preferred + Array(96...127) + Array(35...63) {
            let type = PayloadType(number)
            guard takenTypes.insert(type).inserted else { continue }
            assign(type, to: key)
            return type
        }
        return nil
    }

    /// The ID of an extension; `nil` if all are taken.
    mutating func headerExtension(_ kind: HeaderExtensionKind, allowsTwoBytes: Bool) -> UInt8? {
        if let id = extensions[kind], id < 15 || allowsTwoBytes { return id }
        // 15 is reserved in the one-byte form (RFC 8285 §4.2).
        for id in Array<UInt16>(1...14) + (allowsTwoBytes ? Array(16...255) : [])
        where takenExtensions.insert(id).inserted {
            extensions[kind] = UInt8(id)
            return UInt8(id)
        }
        return nil
    }
}
