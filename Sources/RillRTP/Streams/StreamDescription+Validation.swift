extension StreamDescription {
    /// The payload types that look like RTCP when the marker is set (RFC 5761 §4).
    static let reservedPayloadTypes = PayloadType(64).rawValue...PayloadType(95).rawValue

    /// Checks what another side may have chosen: whether numbers and names tell formats and streams apart.
    ///
    /// - Throws: `payloadTypeInUse`, `reservedPayloadType`, `sourceInUse`, `invalidIdentifier`, `invalidCanonicalName`.
    public func validate() throws(StreamDescriptionError) {
        let types = payloadTypes
        for (index, type) in types.enumerated() {
            guard !types[..<index].contains(type) else { throw .payloadTypeInUse(type) }
            guard !StreamDescription.reservedPayloadTypes.contains(type.rawValue) else {
                throw .reservedPayloadType(type)
            }
        }
        if let ssrc, ssrc == repair.retransmission?.ssrc { throw .sourceInUse(ssrc) }
        if let mid, !StreamDescription.isToken(mid) { throw .invalidIdentifier(mid) }
        for rid in [rid].compactMap(\.self) + alternativeRIDs where !StreamDescription.isRID(rid) {
            throw .invalidIdentifier(rid)
        }
        if let canonicalName {
            let bytes = canonicalName.utf8
            guard (1...255).contains(bytes.count), bytes.allSatisfy({ $0 >= 0x20 }) else {
                throw .invalidCanonicalName(byteCount: bytes.count)
            }
        }
    }

    /// Whether a header extension of the one-byte form and a session description can both bear it: visible ASCII.
    static func isToken(_ name: String) -> Bool {
        (1...StreamIdentifier.maximumByteCount).contains(name.utf8.count)
            && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Letters, digits, - and _ (RFC 8851 §10), as many as a header extension of the one-byte form bears.
    static func isRID(_ name: String) -> Bool {
        isToken(name)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

extension [StreamDescription] {
    /// So many streams may come over one transport in one direction.
    public static let maximumStreamCount = 1024

    /// Checks streams that come over one transport: each by itself, and whether each packet then belongs to one of them.
    ///
    /// Numbers of header extensions and payload types mean the same in all of them (RFC 9143 §9, §10.2). A payload type may
    /// be that of several streams, which sources or MIDs and RIDs then tell apart.
    ///
    /// - Throws: what a stream's ``StreamDescription/validate()`` throws, `tooManyStreams`, `payloadTypeInUse`,
    ///   `sourceInUse`, `identifierInUse`, `headerExtensionInUse`, `indistinguishable`.
    public func validate() throws(StreamDescriptionError) {
        guard count <= Self.maximumStreamCount else {
            throw .tooManyStreams(count: count, limit: Self.maximumStreamCount)
        }
        var agreed = Agreed()
        for stream in self {
            try stream.validate()
            try agreed.add(stream)
        }
    }
}

/// What streams of a session have taken.
private struct Agreed {
    private var sources: Set<SSRC> = []
    private var names: Set<Name> = []
    private var unannounced: Set<Unannounced> = []
    private var extensions = HeaderExtensionMap()
    private var meanings: [PayloadType: Meaning] = [:]

    /// A RID names a stream among those of its MID.
    private struct Name: Hashable {
        var mid: String?
        var rid: String?
    }

    /// What a packet of a source that nobody announced is known by.
    private struct Unannounced: Hashable {
        var name: Name
        /// Where it has no name.
        var payloadType: PayloadType?
    }

    /// What a payload type stands for.
    private struct Meaning: Equatable {
        var name: String
        var clockRate: UInt32
        var parameters: [RTPFormat.Parameter]
        /// Of retransmissions: of what.
        var original: PayloadType?
    }

    mutating func add(_ stream: StreamDescription) throws(StreamDescriptionError) {
        for ssrc in stream.sources where !sources.insert(ssrc).inserted { throw .sourceInUse(ssrc) }
        if let rid = stream.rid, !names.insert(Name(mid: stream.mid, rid: rid)).inserted {
            throw .identifierInUse(rid)
        }
        if stream.ssrc == nil {
            // Its packets bear those names that there are header extensions for.
            let name = Name(
                mid: stream.headerExtensions[.mid] == nil ? nil : stream.mid,
                rid: stream.headerExtensions[.rid] == nil ? nil : stream.rid)
            let isNamed = name.mid != nil || name.rid != nil
            let key = Unannounced(name: name, payloadType: isNamed ? nil : stream.payloadType)
            guard unannounced.insert(key).inserted else { throw .indistinguishable(stream.payloadType) }
        }
        try add(stream.headerExtensions)
        try addFormats(of: stream)
    }

    private mutating func add(_ others: HeaderExtensionMap) throws(StreamDescriptionError) {
        for kind in HeaderExtensionKind.allCases {
            guard let id = others[kind] else { continue }
            guard extensions[kind] ?? id == id else { throw .headerExtensionInUse(id) }
            do throws(RTPError) { try extensions.set(kind, id: id) } catch { throw .headerExtensionInUse(id) }
        }
    }

    private mutating func addFormats(of stream: StreamDescription) throws(StreamDescriptionError) {
        let encoding = stream.encoding
        try add(
            stream.payloadType,
            Meaning(name: encoding.name.lowercased(), clockRate: encoding.clockRate, parameters: stream.parameters))
        let repair = stream.repair
        if let type = repair.redPayloadType { try add(type, Meaning(name: "red", clockRate: 0, parameters: [])) }
        if let type = repair.fecPayloadType { try add(type, Meaning(name: "ulpfec", clockRate: 0, parameters: [])) }
        if let again = repair.retransmission {
            let original = again.originalPayloadType ?? repair.redPayloadType ?? stream.payloadType
            try add(again.payloadType, Meaning(name: "rtx", clockRate: 0, parameters: [], original: original))
        }
    }

    private mutating func add(_ type: PayloadType, _ meaning: Meaning) throws(StreamDescriptionError) {
        guard meanings[type] ?? meaning == meaning else { throw .payloadTypeInUse(type) }
        meanings[type] = meaning
    }
}
