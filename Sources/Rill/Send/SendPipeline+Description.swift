public import RillCore
public import RillRTP
import RillSend

extension SendPipeline {
    /// What is said of each layer's stream to the other side, the high one first; for ``RillRTP/MediaDescription``.
    public var streamDescriptions: [StreamDescription] {
        layers.map { layer in
            var stream = layer.description
            stream.limits.width = layer.settings.resolution.width
            stream.limits.height = layer.settings.resolution.height
            stream.limits.framesPerSecond = layer.settings.frameRate.framesPerSecond
            return stream
        }
    }

    /// All layers as a session description for plain RTP (RFC 8866): a simulcast, whose streams are told apart by RID where their
    /// packets bear one, and by their sources.
    ///
    /// - Parameter address: where the packets go to.
    public func description(to address: UDPAddress) -> SessionDescription {
        description(of: streamDescriptions, to: address)
    }

    /// What a player or server has to know of one layer's stream, as a session description for plain RTP (RFC 8866).
    ///
    ///     try pipeline.description(of: .high, to: UDPAddress(.loopback, port: 5004)).text  // the content of an .sdp file
    ///
    /// It names the formats with their payload types (VP8, VP9 or the own codec's name; RTX, RED and ULPFEC where they are on), the header
    /// extensions that are written, the feedback that this side understands, and the stream's sources. RTP and RTCP go to
    /// one port.
    ///
    /// - Parameter address: where the packets go to.
    public func description(of rid: StreamLayer.RID, to address: UDPAddress) -> SessionDescription {
        var stream = streamDescriptions[index(of: rid)]
        // Of one stream a name says nothing, unless its packets bear it.
        if stream.headerExtensions[.rid] == nil { stream.rid = nil }
        return description(of: [stream], to: address)
    }

    private func description(of streams: [StreamDescription], to address: UDPAddress) -> SessionDescription {
        do throws(StreamDescriptionError) {
            let video = try MediaDescription(sending: streams, port: address.port)
            return SessionDescription(name: "rill", connection: ConnectionAddress("\(address.ip)"), media: [video])
        } catch {
            preconditionFailure("streams of one pipeline: \(error)")
        }
    }
}
