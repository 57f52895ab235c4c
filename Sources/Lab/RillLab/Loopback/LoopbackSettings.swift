public import RillBeauty
public import RillCodec
public import RillCore
public import RillLink
public import RillReceive
public import RillSend
public import RillSession

/// The settings of a loopback session: what is sent, over which network, and how it is received.
public struct LoopbackSettings: Sendable {
    /// The layers, one to three.
    public var layers: [LayerSettings]
    /// The network of the forward path.
    public var network: LinkSettings
    /// The network of the return path; `nil`, the default, for the same settings as the forward path, including
    /// rates, traces and blackouts. Its random sequence always differs, even with the same seed.
    public var returnNetwork: LinkSettings?
    /// The face processing before sending. The shown pictures are then compared with the processed ones.
    public var beauty = BeautyOptions.off
    /// How the beauty filter finds faces; see ``/Rill/SendSettings/faces``.
    public var faces = FaceDetection.automatic
    /// Whether missing packets are NACKed.
    public var usesNACK = true
    /// Whether retransmissions use a separate stream (RTX); otherwise packets are retransmitted unchanged.
    public var usesRetransmissionStream = true
    /// How each layer's packets are protected (ULPFEC in RED); `nil`, the default, for no FEC.
    public var fec: FECSettings?
    /// How long the receiver holds frames back to even out the network's jitter and to wait for repairs.
    public var playoutDelay = PlayoutDelayBounds.adaptive
    /// How the bitrate follows the network; `nil` for not at all.
    public var congestion: CongestionSettings?
    /// In virtual time: the time that an encoder takes per frame.
    public var encodeTime = MediaDuration.zero
    /// In virtual time: the time that a decoder takes per frame.
    public var decodeTime = MediaDuration.milliseconds(5)
    /// When layers become smaller or slower, and when they recover; `nil` for never.
    public var adaptation: AdaptationSettings? = AdaptationSettings()
    /// Whether the shown pictures are compared with their source. Without it the session costs less and reports no
    /// quality.
    public var measuresQuality = true

    /// Whether events over time are recorded, with small pictures around freezes: ``Loopback/timelines()``.
    public var isRecorded = false

    /// Creates settings for a session of `layers` over `network`, with everything else at its default.
    public init(layers: [LayerSettings], network: LinkSettings = .clean) {
        self.layers = layers
        self.network = network
    }

    /// Returns the session settings of the receiving end.
    func receivingSession(seed: UInt64) -> RTPSessionSettings {
        var session = RTPSessionSettings(seed: seed ^ 0x5245_4345_4956)
        session.announcesItself = false
        return session
    }

    /// The network of the return path, with its own random sequence.
    var returnPath: LinkSettings { (returnNetwork ?? network).forReturnPath }
}

extension LinkSettings {
    /// The same settings with another seed, so that the two directions of one network do not lose the same datagrams.
    var forReturnPath: LinkSettings { seeded(seed ^ 0x5245_5455_524E) }
}
