public import RillCore
public import RillRTP
import RillSend
import RillSession

extension CallParticipant {
    /// What we send them, and the key that it is protected with (a=crypto, RFC 4568), as a session description: for a player, or for who
    /// makes a ``ParticipantSettings`` of it.
    ///
    /// **It holds the key.** It goes where only they read it.
    ///
    ///     try bob.description(of: [.high], at: UDPAddress(.loopback, port: 5004)).text   // the content of an .sdp file
    ///
    /// - Parameters:
    ///   - layers: which of our layers; `nil` for all that they are sent.
    ///   - address: where our packets go to: as a player understands it, the port that it opens.
    /// - Throws: ``StreamDescriptionError`` for layers that one description cannot hold.
    public func description(
        of layers: Set<StreamLayer.RID>? = nil, at address: UDPAddress
    ) throws(StreamDescriptionError) -> SessionDescription {
        var streams = sentStreams.filter { layer, _ in layers?.contains(layer) ?? true }.map(\.description)
        // Of one stream a name says nothing, unless its packets bear it.
        if streams.count == 1, streams[0].headerExtensions[.rid] == nil { streams[0].rid = nil }
        let key = sendingKey
        var video = try MediaDescription(
            sending: streams, port: address.port, transport: key == nil ? "RTP/AVPF" : "RTP/SAVPF")
        if let key { video.crypto = [key.cryptoAttribute(tag: 1)] }
        return SessionDescription(name: "rill", connection: ConnectionAddress("\(address.ip)"), media: [video])
    }

    /// Our layers that they are sent.
    private var sentStreams: [(layer: StreamLayer.RID, description: StreamDescription)] {
        sentLayers.compactMap { layer, id in
            guard let settings = session.look({ $0.settings(of: id) }) else { return nil }
            var stream = StreamDescription(of: settings, codec: layer.codec)
            // The session follows what they ask for.
            stream.feedback.insert(.pause)
            stream.limits.width = layer.resolution.width
            stream.limits.height = layer.resolution.height
            stream.limits.framesPerSecond = layer.frameRate.framesPerSecond
            return (layer.rid, stream)
        }
    }
}
