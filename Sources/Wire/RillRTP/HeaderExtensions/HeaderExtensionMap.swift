/// The IDs of the header extensions in a session (RFC 8285 §5).
///
/// ```swift
/// var map = HeaderExtensionMap()
/// try map.set(.transportSequenceNumber, id: 5)
/// map[5]                            // .transportSequenceNumber
/// map[.transportSequenceNumber]     // 5
/// map[3]                            // nil: no kind that Rill knows
/// ```
///
/// A value of 16 bytes. Lookups neither allocate nor branch per kind; the kinds that most packets carry are found
/// first.
public struct HeaderExtensionMap: Equatable, Sendable {
    /// The ID of each kind (0 for none), in the byte of the kind's raw value; from the eighth kind on in `others`. The
    /// highest bytes are unused.
    @usableFromInline var ids: UInt64 = 0
    @usableFromInline var others: UInt64 = 0
    @inlinable static var kindsPerWord: UInt8 { 7 }
    @inlinable static var unusedByte: UInt64 { 0xFF << 56 }
    @inlinable static var lowBits: UInt64 { 0x0101_0101_0101_0101 }
    @inlinable static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    /// A session without header extensions.
    public init() {}

    /// Assigns an ID to a kind, replacing its previous ID. IDs of 15 and above need the two-byte form.
    ///
    /// - Throws: `invalidExtensionID` if the ID is 0 or belongs to another kind.
    public mutating func set(_ kind: HeaderExtensionKind, id: UInt8) throws(RTPError) {
        guard id != 0, self[id] ?? kind == kind else { throw .invalidExtensionID(id) }
        remove(kind)
        if kind.rawValue < HeaderExtensionMap.kindsPerWord {
            ids |= UInt64(id) << shift(kind)
        } else {
            others |= UInt64(id) << shift(kind)
        }
    }

    /// Removes a kind from the session.
    public mutating func remove(_ kind: HeaderExtensionKind) {
        if kind.rawValue < HeaderExtensionMap.kindsPerWord {
            ids &= ~(0xFF << shift(kind))
        } else {
            others &= ~(0xFF << shift(kind))
        }
    }

    /// The ID of a kind; `nil` if the session does not use it.
    public subscript(kind: HeaderExtensionKind) -> UInt8? {
        let word = kind.rawValue < HeaderExtensionMap.kindsPerWord ? ids : others
        let id = UInt8(truncatingIfNeeded: word >> shift(kind))
        return id == 0 ? nil : id
    }

    /// The kind with an ID; `nil` if the ID is not assigned.
    @inlinable @inline(__always)
    public subscript(id: UInt8) -> HeaderExtensionKind? {
        guard id != 0 else { return nil }
        let place = HeaderExtensionMap.place(of: id, in: ids)
        guard place >= HeaderExtensionMap.kindsPerWord else { return HeaderExtensionKind(rawValue: place) }
        let other = HeaderExtensionMap.place(of: id, in: others)
        guard other < HeaderExtensionMap.kindsPerWord else { return nil }
        return HeaderExtensionKind(rawValue: HeaderExtensionMap.kindsPerWord &+ other)
    }

    /// The first byte that is equal to the ID; ``kindsPerWord`` or more for none.
    @inlinable @inline(__always)
    static func place(of id: UInt8, in word: UInt64) -> UInt8 {
        // Bytes equal to the ID become zero. The lowest zero byte, if any, keeps its highest bit set.
        let differences = (word ^ (UInt64(id) &* HeaderExtensionMap.lowBits)) | HeaderExtensionMap.unusedByte
        let zeros = (differences &- HeaderExtensionMap.lowBits) & ~differences & HeaderExtensionMap.highBits
        return UInt8(truncatingIfNeeded: zeros.trailingZeroBitCount / 8)
    }

    private func shift(_ kind: HeaderExtensionKind) -> UInt64 {
        UInt64(kind.rawValue % HeaderExtensionMap.kindsPerWord) * 8
    }
}

/// The kinds of header extension elements that Rill reads and writes.
///
/// On the wire an element has a numeric ID. Each session negotiates which ID has which kind, by the kind's URI (RFC
/// 8285 §5). ``HeaderExtensionMap`` holds the result.
@frozen
public enum HeaderExtensionKind: UInt8, CaseIterable, Sendable {
    /// ``AbsoluteSendTime``.
    case absoluteSendTime
    /// ``TransportSequenceNumber``.
    case transportSequenceNumber
    /// MID: the media description of the session that the packet belongs to (RFC 9143), a ``StreamIdentifier``.
    case mid
    /// RtpStreamId: the simulcast layer (RFC 8852), a ``StreamIdentifier``.
    case rid
    /// RepairedRtpStreamId: the stream that this stream repairs (RFC 8852), a ``StreamIdentifier``.
    case repairedRID
    /// ``VideoOrientation``.
    case videoOrientation
    /// ``PlayoutDelay``.
    case playoutDelay
    /// ``AudioLevel`` (RFC 6464).
    case audioLevel
    /// The dependency descriptor of a frame (RTP payload format for AV1, appendix A). It is read where frames may be
    /// encrypted, and not sent.
    case dependencyDescriptor

    /// The URI of the kind in session descriptions (`a=extmap`).
    public var uri: String {
        switch self {
        case .absoluteSendTime: "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
        case .transportSequenceNumber: "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
        case .mid: "urn:ietf:params:rtp-hdrext:sdes:mid"
        case .rid: "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"
        case .repairedRID: "urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id"
        case .videoOrientation: "urn:3gpp:video-orientation"
        case .playoutDelay: "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"
        case .audioLevel: "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
        case .dependencyDescriptor:
            "https://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension"
        }
    }

    /// The kind with that URI; `nil` for URIs that Rill does not know.
    public init?(uri: some StringProtocol) {
        guard let kind = HeaderExtensionKind.allCases.first(where: { $0.uri == uri }) else { return nil }
        self = kind
    }
}

/// The value of a header extension element, parsed from and written to its data.
public protocol HeaderExtensionValue: Equatable, Sendable {
    /// Bytes of the element's data.
    var byteCount: Int { get }

    /// Parses the data of an element.
    ///
    /// - Throws: `invalidExtension` if the data is not such a value.
    init(parsing data: Span<UInt8>) throws(RTPError)

    /// Appends the data. Traps unless `output` has room for `byteCount` bytes.
    @_lifetime(output: copy output)
    func write(into output: inout OutputSpan<UInt8>)
}
