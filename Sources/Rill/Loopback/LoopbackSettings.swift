public import RillCodec
public import RillCore
public import RillNetwork
public import RillReceive

/// A call with oneself: what is sent, over which network, and how it is received.
public struct LoopbackSettings: Sendable {
    /// The streams, one to three.
    public var layers: [LayerSettings]
    /// The network there. The way back has the same settings, and chance of its own.
    public var network: LinkSettings
    /// How long the receiver holds frames back to even out the network's jitter and to wait for repairs.
    public var playoutDelay = PlayoutDelayBounds.adaptive
    /// In virtual time: how long an encoder takes for a frame.
    public var encodeTime = MediaDuration.zero
    /// In virtual time: how long a decoder takes for a frame.
    public var decodeTime = MediaDuration.milliseconds(5)
    /// When layers become smaller or slower, and when they recover; `nil` for never.
    public var adaptation: AdaptationSettings? = AdaptationSettings()
    /// Whether the pictures shown are compared with their source. Off, the session costs less and reports no quality.
    public var isCompared = true

    /// A session of `layers` over `network`; the rest is at its defaults and can be set afterwards.
    public init(layers: [LayerSettings], network: LinkSettings = .clean) {
        self.layers = layers
        self.network = network
    }

    /// The network of the way back.
    var returnNetwork: LinkSettings { network.seeded(network.seed ^ 0x5245_5455_524E) }
}
