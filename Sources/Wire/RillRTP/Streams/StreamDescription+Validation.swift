extension StreamDescription {
    /// The payload types that look like RTCP when the marker bit is set (RFC 5761 §4).
    static let reservedPayloadTypes = PayloadType(64).rawValue...PayloadType(95).rawValue

    /// Checks values from another side: whether payload types, sources and names are valid and unambiguous.
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

    /// Whether a one-byte header extension and a session description can both carry the name: visible ASCII.
    static func isToken(_ name: String) -> Bool {
        (1...StreamIdentifier.maximumByteCount).contains(name.utf8.count)
            && name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Letters, digits, - and _ (RFC 8851 §10), up to the size that a one-byte header extension can carry.
    package static func isRID(_ name: String) -> Bool {
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
    /// The maximum number of streams on one transport in one direction.
    public static let maximumStreamCount = 1024

    /// Checks the streams of one transport: each by itself, and that every packet can be assigned to one of them.
    ///
    /// Header extension IDs and payload types must have the same meaning in all streams (RFC 9143 §9, §10.2). Several
    /// streams may share a payload type if sources, or MIDs and RIDs, distinguish them.
    ///
    /// - Throws: the errors of a stream's ``StreamDescription/validate()``, `tooManyStreams`, `payloadTypeInUse`,
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

/// The identifiers that the streams of a session use.
private struct Agreed {
    private var sources: Set<SSRC> = []
    private var names: Set<Name> = []
    private var unannounced: Set<Unannounced> = []
    private var extensions = HeaderExtensionMap()
    private var meanings: [PayloadType: Meaning] = [:]

    /// A RID identifies a stream among those with the same MID.
    private struct Name: Hashable {
        var mid: String?
        var rid: String?
    }

    /// The key of the packets of an unannounced source.
    private struct Unannounced: Hashable {
        var name: Name
        /// Set if the stream has no name.
        var payloadType: PayloadType?
    }

    /// The meaning of a payload type.
    private struct Meaning: Equatable {
        var name: String
        var clockRate: UInt32
        var parameters: [RTPFormat.Parameter]
        /// For retransmissions: the payload type of the original packets.
        var original: PayloadType?
    }

    mutating func add(_ stream: StreamDescription) throws(StreamDescriptionError) {
        for ssrc in stream.sources where !sources.insert(ssrc).inserted { throw .sourceInUse(ssrc) }
        if let rid = stream.rid, !names.insert(Name(mid: stream.mid, rid: rid)).inserted {
            throw .identifierInUse(rid)
        }
        if stream.ssrc == nil {
            // Its packets carry only the names that have a header extension.
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
