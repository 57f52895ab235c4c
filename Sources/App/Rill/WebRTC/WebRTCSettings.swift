public import RillCore
public import RillPeer

/// How a call is offered to WebRTC peers, and answers them.
public struct WebRTCSettings: Sendable {
    /// The video sections that are sent: the layers of each, the preferred ones first. By default one section with all
    /// layers.
    ///
    /// A peer that takes simulcast gets all layers of a section at once, any other one at a time:
    /// ``/Rill/CallParticipant/send(_:)``. Browsers take no simulcast; to send them several layers at once, give each a
    /// section of its own.
    public var sections: [[StreamLayer.RID]]?
    /// The names of the layers that offers ask the peer to send, the preferred ones first; empty for no simulcast.
    public var wantedLayers: [String] = []
    /// Whether the peer's video is received.
    public var receives = true
    /// Codecs, header extensions and repair. By default the codecs are those of the call's layers.
    public var negotiation = NegotiationSettings()
    /// Times and limits of DTLS, and the profiles of SRTP.
    public var dtls = DTLSSettings()
    /// Times and limits of ICE. Its seed is drawn separately for each peer.
    public var ice = ICESettings(seed: 0)
    /// How long it may take from the peer's description to the connection. 30 s.
    public var connectTimeout = MediaDuration.seconds(30)

    /// Creates settings with every value at its default.
    public init() {}
}
