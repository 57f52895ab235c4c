/// What two sides agree on for the repair of one stream; nothing, by default.
///
///     var repair = RepairSettings()
///     repair.retransmission = .init(ssrc: SSRC(0xBEEF), payloadType: PayloadType(97))
///     repair.redPayloadType = PayloadType(100)
///     repair.fecPayloadType = PayloadType(101)
public struct RepairSettings: Sendable, Equatable {
    /// The stream that retransmissions come on (RTX); `nil` where they come as the packets did before.
    public var retransmission: Retransmission?
    /// The number of RED, in which packets and FEC packets come (RFC 2198); `nil` where they come bare.
    public var redPayloadType: PayloadType?
    /// The number of ULPFEC (RFC 5109); `nil` where there are no FEC packets, and packets need not be kept for them.
    public var fecPayloadType: PayloadType?

    /// A stream of retransmissions (RFC 4588).
    public struct Retransmission: Sendable, Equatable {
        /// Its source: another one than the stream's. `nil` where nobody announced it: its packets are then known by their
        /// payload type, or by the RID of the stream that they repair.
        public var ssrc: SSRC?
        /// Its payload type.
        public var payloadType: PayloadType
        /// What its packets were before (`apt` of a session description); `nil` for RED where that is spoken, else for
        /// the stream's own.
        public var originalPayloadType: PayloadType?
        /// rtx-time: how long packets are kept for retransmission, in milliseconds, where it is said (RFC 4588 §8.1).
        public var milliseconds: Int?

        /// The stream of that source and type.
        public init(ssrc: SSRC?, payloadType: PayloadType, originalPayloadType: PayloadType? = nil) {
            self.ssrc = ssrc
            self.payloadType = payloadType
            self.originalPayloadType = originalPayloadType
        }
    }

    /// No repair.
    public init() {}

    /// Whether every packet is what it seems to be.
    public var isEmpty: Bool { retransmission == nil && redPayloadType == nil && fecPayloadType == nil }
}
