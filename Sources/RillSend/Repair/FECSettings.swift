public import RillCore
public import RillRTP

/// How a stream is protected by FEC packets: ULPFEC (RFC 5109) among its packets, which for that go in RED (RFC 2198), as
/// browsers have it.
public struct FECSettings: Equatable, Sendable {
    /// FEC packets for each frame, in percent of its packets, rounded up: a frame of one packet gets one at any rate above
    /// zero. At zero, packets go in RED without any.
    public var percentage: Percentage
    /// The number that the session agreed on for ULPFEC.
    public var payloadType: PayloadType
    /// The number that the session agreed on for RED; all packets bear it.
    public var redPayloadType: PayloadType

    /// Protection under these payload types.
    public init(percentage: Percentage, payloadType: PayloadType, redPayloadType: PayloadType) {
        self.percentage = percentage
        self.payloadType = payloadType
        self.redPayloadType = redPayloadType
    }
}
