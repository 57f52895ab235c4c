public import RillRTP

/// What both sides agreed on for one media section.
public struct NegotiatedSection: Equatable, Sendable {
    /// Its transceiver.
    public var transceiver: TransceiverID
    /// Its MID.
    public var mid: String
    /// Its index in the descriptions.
    public var index: Int
    /// Audio or video.
    public var kind: MediaDescription.Kind
    /// The direction, as this side sees it.
    public var direction: MediaDirection
    /// The streams that we send, the highest layer first: each has the RID of its encoding, or none if only the first
    /// encoding is sent. The payload types are those of the remote description. Empty if we do not send.
    public var sending: [StreamDescription]
    /// The streams that we receive, in the order of the other side. The payload types are those of the local
    /// description. Empty if we do not receive.
    public var receiving: [StreamDescription]
    /// All formats that both have, with the payload types of the local description, preferred first: packets of each
    /// may arrive. The first that is not for repair is the one in `receiving`.
    public var formats: [RTPFormat]
    /// The same formats with the payload types of the remote description: packets of each may be sent.
    public var remoteFormats: [RTPFormat]
    /// The most that the other side wants to receive in this section, in bits per second (b=TIAS, or b=AS); `nil` for
    /// any.
    public var maximumBitrate: Int?
}
