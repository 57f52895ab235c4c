public import RillBeauty
public import RillCodec
public import RillCore
public import RillLink
public import RillReceive
import RillSession

/// A call with oneself: what is sent, over which network, and how it is received.
public struct LoopbackSettings: Sendable {
    /// The streams, one to three.
    public var layers: [LayerSettings]
    /// The network there.
    public var network: LinkSettings
    /// The network of the way back; `nil`, the default, for the same settings as there: rates, traces and blackouts too.
    /// In either case it has chance of its own, also with the same seed.
    public var returnNetwork: LinkSettings?
    /// What is done to faces before they are sent. What is shown is then compared with the pictures made beautiful.
    public var beauty = BeautyOptions.off
    /// Whether packets that are missing are asked for again.
    public var usesNACK = true
    /// Whether they are sent again on a stream of their own (RTX); else they are sent as they were.
    public var usesRetransmissionStream = true
    /// FEC packets for each frame, in percent of its packets (ULPFEC in RED); none at zero.
    public var fec = Percentage.zero
    /// How long the receiver holds frames back to even out the network's jitter and to wait for repairs.
    public var playoutDelay = PlayoutDelayBounds.adaptive
    /// In virtual time: how long an encoder takes for a frame.
    public var encodeTime = MediaDuration.zero
    /// In virtual time: how long a decoder takes for a frame.
    public var decodeTime = MediaDuration.milliseconds(5)
    /// When layers become smaller or slower, and when they recover; `nil` for never.
    public var adaptation: AdaptationSettings? = AdaptationSettings()
    /// Whether the pictures shown are compared with their source. Off, the session costs less and reports no quality.
    public var measuresQuality = true

    /// Whether what happens over time is written down, with small pictures around freezes: ``Loopback/timelines()``.
    public var isRecorded = false

    /// A session of `layers` over `network`; the rest is at its defaults and can be set afterwards.
    public init(layers: [LayerSettings], network: LinkSettings = .clean) {
        self.layers = layers
        self.network = network
    }

    /// How the receiving end takes part in the session.
    func receivingSession(seed: UInt64) -> RTPSessionSettings {
        var session = RTPSessionSettings(seed: seed ^ 0x5245_4345_4956)
        session.announcesItself = false
        return session
    }

    /// The network of the way back, with its own chance.
    var wayBack: LinkSettings { (returnNetwork ?? network).forWayBack }
}

extension LinkSettings {
    /// The same with another chance, so that the two ways of one network do not lose alike.
    var forWayBack: LinkSettings { seeded(seed ^ 0x5245_5455_524E) }
}
