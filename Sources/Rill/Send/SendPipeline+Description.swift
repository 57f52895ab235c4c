public import RillCore
public import RillRTP
import RillSend

extension SendPipeline {
    /// The description of each layer's stream for signaling, the high one first; for ``RillRTP/MediaDescription``.
    public var streamDescriptions: [StreamDescription] {
        layers.map { layer in
            var stream = layer.description
            stream.limits.width = layer.settings.resolution.width
            stream.limits.height = layer.settings.resolution.height
            stream.limits.framesPerSecond = layer.settings.frameRate.framesPerSecond
            return stream
        }
    }

    /// Returns all layers as a session description for plain RTP (RFC 8866): a simulcast, whose streams are
    /// identified by RID if their packets carry one, and by SSRC.
    ///
    /// - Parameter address: where the packets go.
    /// - Returns: the session description.
    public func description(to address: UDPAddress) -> SessionDescription {
        description(of: streamDescriptions, to: address)
    }

    /// Returns the session description of one layer's stream for plain RTP (RFC 8866), for a player or a server.
    ///
    /// ```swift
    /// let address = UDPAddress(.loopback, port: 5004)
    /// let text = pipeline.description(of: .high, to: address).text  // the content of an .sdp file
    /// ```
    ///
    /// It contains the formats with their payload types (VP8, VP9 or the custom codec's name; RTX, RED and ULPFEC if
    /// they are on), the header extensions that are written, the feedback that this side understands, and the
    /// stream's SSRCs. RTP and RTCP go to one port.
    ///
    /// - Parameters:
    ///   - rid: the layer.
    ///   - address: where the packets go.
    /// - Returns: the session description.
    public func description(of rid: StreamLayer.RID, to address: UDPAddress) -> SessionDescription {
        var stream = streamDescriptions[index(of: rid)]
        // For a single stream a RID means nothing, unless its packets carry it.
        if stream.headerExtensions[.rid] == nil { stream.rid = nil }
        return description(of: [stream], to: address)
    }

    private func description(of streams: [StreamDescription], to address: UDPAddress) -> SessionDescription {
        do throws(StreamDescriptionError) {
            let video = try MediaDescription(sending: streams, port: address.port)
            return SessionDescription(name: "rill", connection: ConnectionAddress("\(address.ip)"), media: [video])
        } catch {
            preconditionFailure("one description holds all streams of a pipeline: \(error)")
        }
    }
}
