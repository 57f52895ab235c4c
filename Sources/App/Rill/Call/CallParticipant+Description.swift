public import RillCore
public import RillRTP
import RillSend
import RillSession

extension CallParticipant {
    /// Returns a session description of what we send the participant, and its key (a=crypto, RFC 4568): for a player,
    /// or for a peer that creates a ``ParticipantSettings`` from it.
    ///
    /// **It contains the key.** Send it only over a channel that only the participant reads.
    ///
    /// ```swift
    /// let address = UDPAddress(.loopback, port: 5004)
    /// let text = try bob.description(of: [.high], at: address).text  // the content of an .sdp file
    /// ```
    ///
    /// - Parameters:
    ///   - layers: which of our layers; `nil` for all that they are sent.
    ///   - address: where our packets go. For a player, its port is the one that the player opens.
    /// - Throws: ``/RillRTP/StreamDescriptionError`` for layers that one description cannot hold.
    public func description(
        of layers: Set<StreamLayer.RID>? = nil, at address: UDPAddress
    ) throws(StreamDescriptionError) -> SessionDescription {
        var streams = sentStreams.filter { layer, _ in layers?.contains(layer) ?? true }.map(\.description)
        // For a single stream a RID means nothing, unless its packets carry it.
        if streams.count == 1, streams[0].headerExtensions[.rid] == nil { streams[0].rid = nil }
        let key = sendingKey
        var video = try MediaDescription(
            sending: streams, port: address.port, transport: key == nil ? "RTP/AVPF" : "RTP/SAVPF")
        if let key { video.crypto = [key.cryptoAttribute(tag: 1)] }
        return SessionDescription(name: "rill", connection: ConnectionAddress("\(address.ip)"), media: [video])
    }

    /// Our layers that the participant is sent.
    private var sentStreams: [(layer: StreamLayer.RID, description: StreamDescription)] {
        sentLayers.compactMap { layer, id in
            guard let settings = session.look({ $0.settings(of: id) }) else { return nil }
            var stream = StreamDescription(of: settings, codec: layer.codec)
            // The session follows PAUSE and RESUME requests.
            stream.feedback.insert(.pause)
            if let expectedFeedback { stream.allow(expectedFeedback) }
            stream.limits.take(layer)
            return (layer.rid, stream)
        }
    }
}
