public import RillCore
public import RillPeer
import RillThreads
import RillTransport

/// The UDP port at which a call meets WebRTC peers: browsers, and servers that speak to them.
///
/// ```swift
/// let call = try VideoCall(VideoCallSettings(layers: [.high(.vga, bitrate: .kilobits(800)), .low]), source: camera)
/// let port = try WebRTCPort(for: call)
/// let bob = try port.answer(offer, from: "bob")     // the text of the browser's offer, by your signaling
/// signaling.send(bob.localDescription)              // the answer
/// try bob.participant?.show(on: screen)
/// for await state in bob.states { print(state) }    // connecting, connected, …
/// ```
///
/// Each peer is a participant of the call (``/Rill/CallParticipant``), encrypted as WebRTC requires: ICE, DTLS, SRTP.
/// All peers share the port.
///
/// Threads: STUN and DTLS are dealt with on the call's `rill-network` thread. All methods may be called from any
/// thread. The port closes with the call.
public final class WebRTCPort: Sendable {
    let transport: WebRTCTransport
    /// Not held: a call that is released ends, and closes the port.
    private let call: @Sendable () -> VideoCall?
    private let certificate: CertificateHolder

    /// A certificate is an object of OpenSSL's, which counts its references, and changes nothing once it is made.
    private struct CertificateHolder: @unchecked Sendable {
        let certificate: DTLSCertificate
    }

    /// Opens a port.
    ///
    /// - Parameters:
    ///   - call: the call, which the app holds. It reads the port from the first peer on, and closes it at the end.
    ///   - address: where to listen; by default at all addresses, IPv6 and IPv4, and a port that the system chooses.
    ///   - addresses: the addresses at which peers reach this machine; `nil` for those that it has itself, at the time
    ///     of the call.
    ///   - certificate: the certificate of DTLS; `nil` for a new one.
    /// - Throws: ``/RillTransport/TransportError`` or ``/RillPeer/DTLSError``.
    public init(
        for call: VideoCall, boundTo address: UDPAddress = UDPAddress(.anyV6, port: 0),
        announcing addresses: [IPAddress]? = nil, certificate: DTLSCertificate? = nil
    ) throws {
        self.call = { [weak call] in call }
        transport = try WebRTCTransport(boundTo: address, announcing: addresses, clock: call.clock)
        let seconds = (call.clock.wallClockAtZero + call.clock.now.nanoseconds) / 1_000_000_000
        self.certificate = CertificateHolder(
            certificate: try certificate ?? DTLSCertificate(wallClock: Int(seconds)))
    }

    /// The call; throws ``/Rill/CallError/isOver`` if it was released.
    func requireCall() throws(CallError) -> VideoCall {
        guard let call = call() else { throw .isOver }
        return call
    }

    /// The address at which the port listens.
    public var localAddress: UDPAddress { transport.localAddress }

    /// Answers a peer's offer. The peer is a participant of the call from now on.
    ///
    /// - Parameters:
    ///   - offer: the text of the offer.
    ///   - name: the peer's name in events and logs.
    ///   - settings: what is sent and received.
    /// - Returns: the peer, with the answer in ``WebRTCPeer/localDescription``.
    /// - Throws: ``/RillPeer/PeerError``, which names the line of an offer that cannot be used; ``/Rill/CallError``.
    public func answer(
        _ offer: String, from name: String = "peer", _ settings: WebRTCSettings = WebRTCSettings()
    ) throws -> WebRTCPeer {
        try add(name, settings, isOffering: false) { peer in try peer.answer(offer) }
    }

    /// Offers the call to a peer. They become a participant with their answer.
    ///
    /// - Parameters:
    ///   - name: the peer's name in events and logs.
    ///   - settings: what is sent and received.
    /// - Returns: the peer, with the offer in ``WebRTCPeer/localDescription``; pass the answer to
    ///   ``WebRTCPeer/accept(_:)``.
    /// - Throws: ``/RillPeer/PeerError``.
    public func offer(
        to name: String = "peer", _ settings: WebRTCSettings = WebRTCSettings()
    ) throws -> WebRTCPeer {
        try add(name, settings, isOffering: true) { peer in try peer.offer() }
    }

    private func add(
        _ name: String, _ settings: WebRTCSettings, isOffering: Bool, _ negotiate: (WebRTCPeer) throws -> String
    ) throws -> WebRTCPeer {
        let peer = try WebRTCPeer(name, on: self, settings, isOffering: isOffering)
        do {
            try peer.addTransceivers()
            _ = try negotiate(peer)
        } catch {
            peer.close()
            throw error
        }
        return peer
    }

    /// The connection of a new peer, with our addresses.
    func makeConnection(_ settings: WebRTCSettings, isOffering: Bool) throws(PeerError) -> PeerConnection {
        var peer = PeerConnectionSettings()
        (peer.negotiation, peer.dtls, peer.ice) = (settings.negotiation, settings.dtls, settings.ice)
        peer.connectTimeout = settings.connectTimeout
        peer.wallClockAtZero = .unixEpoch.advanced(byNanoseconds: transport.clock.wallClockAtZero)
        peer.passesMedia = true
        let connection = PeerConnection(
            isOffering ? .controlling : .controlled, certificate: certificate.certificate, settings: peer)
        for (ip, number) in transport.addresses.candidates {
            try connection.addLocalCandidate(UDPAddress(ip, port: transport.localAddress.port), socket: number)
        }
        return connection
    }
}

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
    /// Whether the peer's video is received in the sections that send.
    public var receives = true
    /// How many sections of offers only receive, up to 64: a server of a room shows in each whomever is wanted. 0.
    public var receiveSlots = 0
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
