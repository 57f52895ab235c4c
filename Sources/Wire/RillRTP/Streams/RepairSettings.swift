/// The negotiated repair mechanisms of one stream; none by default.
///
/// ```swift
/// var repair = RepairSettings()
/// repair.retransmission = .init(ssrc: SSRC(0xBEEF), payloadType: PayloadType(97))
/// repair.redPayloadType = PayloadType(100)
/// repair.fecPayloadType = PayloadType(101)
/// ```
public struct RepairSettings: Sendable, Equatable {
    /// The stream that carries retransmissions (RTX); `nil` if packets are retransmitted unchanged.
    public var retransmission: Retransmission?
    /// The payload type of RED, which wraps media and FEC packets (RFC 2198); `nil` if they are not wrapped.
    public var redPayloadType: PayloadType?
    /// The payload type of ULPFEC (RFC 5109); `nil` without FEC packets, in which case packets need not be kept for
    /// recovery.
    public var fecPayloadType: PayloadType?

    /// A retransmission stream (RFC 4588).
    public struct Retransmission: Sendable, Equatable {
        /// Its SSRC, which differs from the original stream's. `nil` if it was not announced: its packets are then
        /// identified by payload type, or by the RID of the stream that they repair.
        public var ssrc: SSRC?
        /// Its payload type.
        public var payloadType: PayloadType
        /// The payload type of the original packets (`apt` of a session description). `nil` for RED if it is used,
        /// otherwise for the stream's own.
        public var originalPayloadType: PayloadType?
        /// rtx-time: how long packets are kept for retransmission, in milliseconds; `nil` if not specified (RFC 4588
        /// §8.1).
        public var milliseconds: Int?
        /// The payload types of other formats of the stream, by those of their retransmissions.
        public var others: [PayloadType: PayloadType] = [:]

        /// The stream with that source and payload type.
        public init(ssrc: SSRC?, payloadType: PayloadType, originalPayloadType: PayloadType? = nil) {
            self.ssrc = ssrc
            self.payloadType = payloadType
            self.originalPayloadType = originalPayloadType
        }
    }

    /// No repair mechanisms.
    public init() {}

    /// Whether there is no repair mechanism.
    public var isEmpty: Bool { retransmission == nil && redPayloadType == nil && fecPayloadType == nil }
}

extension RepairSettings.Retransmission {
    /// Whether packets of that payload type are retransmissions of the stream, of any of its formats.
    package func has(_ type: PayloadType) -> Bool { type == payloadType || others[type] != nil }
}
