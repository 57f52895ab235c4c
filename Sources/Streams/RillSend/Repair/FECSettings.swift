public import RillCore
public import RillRTP

/// Settings for protection by FEC packets: ULPFEC (RFC 5109) within the stream, wrapped in RED (RFC 2198), as in
/// browsers.
public struct FECSettings: Equatable, Sendable {
    /// The number of FEC packets per frame, in percent of its packets, rounded up. At any value above zero, a frame
    /// of one packet gets one. At zero, packets are wrapped in RED without any FEC packets.
    public var percentage: Percentage
    /// Whether a session with congestion control changes the percentage while it sends, by what its path loses
    /// (``RepairPolicy``). `false` by default; `true` where the settings come from a description.
    public var isAdaptive = false
    /// The negotiated payload type of ULPFEC.
    public var payloadType: PayloadType
    /// The negotiated payload type of RED, which all packets have.
    public var redPayloadType: PayloadType

    /// Protection with these payload types.
    public init(percentage: Percentage, payloadType: PayloadType, redPayloadType: PayloadType) {
        self.percentage = percentage
        self.payloadType = payloadType
        self.redPayloadType = redPayloadType
    }
}
