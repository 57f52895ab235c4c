public import RillCore
public import RillRTP
import RillSend
package import RillSession
import RillThreads

/// A ``SendPipeline`` whose encoded frames leave as packets, for an app with a clock, a network or a file of its own:
/// a frame in, the packets of every layer out.
///
/// ```swift
/// let sender = try PacketSender(SendSettings(layers: [.high(.vga, bitrate: .kilobits(800)), .low], seed: 7))
/// try sender.send(frame, at: now, to: file)
/// ```
///
/// It has one session, with a stream for each layer. It owns no thread and reads no clock. In a ``VideoCall``, which
/// has both, each participant has a session, and all of them share one pipeline.
///
/// Threads: as ``SendPipeline``. A layer's packets are sent in sequence number order. Retransmissions are sent on the
/// thread that brought the request, concurrently.
public final class PacketSender: Sendable {
    /// Encodes: change bitrates, switch layers and request key frames here.
    public let pipeline: SendPipeline
    package let session: SharedSession
    private let layers: [LayerStream]

    /// Creates a sender with a session and a pipeline of its own.
    ///
    /// - Parameters:
    ///   - settings: what is sent.
    ///   - taps: sinks that see the frames on their way; none by default.
    /// - Throws: ``PipelineError``.
    public convenience init(_ settings: SendSettings, taps: sending SendTaps = SendTaps()) throws(PipelineError) {
        try self.init(SendPipeline(settings, taps: taps))
    }

    /// Creates a sender of a pipeline's frames, with a session of its own.
    ///
    /// - Parameter pipeline: encodes; from now on only this sender passes frames to it.
    /// - Throws: ``PipelineError``.
    public convenience init(_ pipeline: SendPipeline) throws(PipelineError) {
        var settings = pipeline.settings
        settings.setBounds(for: settings.layers)
        var session = RTPSessionSettings(canonicalName: settings.canonicalName, seed: ~settings.seed)
        // An endpoint that only sends has nothing to report before it does.
        session.announcesItself = false
        // Its encoders work for any receiver.
        session.acceptsPauseRequests = false
        session.congestion = settings.congestion
        try self.init(pipeline, on: SharedSession(session))
    }

    /// Creates a sender on a session with other users.
    package init(_ pipeline: SendPipeline, on session: SharedSession) throws(PipelineError) {
        var settings = pipeline.settings
        settings.addTransportNumbers()
        var random = SeededGenerator(seed: settings.seed)
        var layers: [LayerStream] = []
        for layer in settings.layers {
            layers.append(try LayerStream(settings.stream(of: layer, using: &random), on: session))
        }
        (self.pipeline, self.session, self.layers) = (pipeline, session, layers)
        if settings.congestion != nil { pipeline.follow(session) }
        session.listen { [pipeline, ids = layers.map(\.id)] stream in
            guard let index = ids.firstIndex(of: stream) else { return }
            pipeline.requestKeyFrame(layer: index)
        }
    }

    // MARK: Frames

    /// Sends one frame on every layer that needs it, and the sender reports that are due. All packets have reached
    /// `packets` when it returns.
    ///
    /// - Parameters:
    ///   - frame: the frame.
    ///   - now: the timestamp of all stages.
    ///   - packets: receives the packets.
    /// - Throws: ``/RillCodec/CodecError``, or what a tap throws.
    public func send(_ frame: VideoFrame, at now: MediaTime, to packets: some PacketSink) throws {
        try pipeline.encode(frame, at: now) { index, frame, payload in
            self.send(frame, payload, of: index, to: packets, at: now)
        }
        sendReports(at: now, to: packets)
    }

    /// Packetizes a layer's encoded frame, and returns its RTP timestamp. Frames must be sent one at a time.
    package func send(
        _ frame: EncodedFrame, _ payload: Span<UInt8>, of layer: Int, to packets: some PacketSink, at now: MediaTime
    ) -> RTPTimestamp? {
        session.change(delivering: { $0.deliver(to: packets) }) {
            $0.send(frame, payload: payload, of: layers[layer].id, at: now)?.timestamp
        }
    }

    /// Finishes the taps' sinks: see ``SendPipeline/finish()``.
    public func finish() throws { try pipeline.finish() }

    // MARK: The receiver's requests, and reports

    /// Takes an RTCP packet of the receiver.
    ///
    /// A requested key frame is the layer's next frame. Packets that the receiver NACKs are retransmitted to
    /// `packets`, as far as they are still kept.
    ///
    /// - Parameters:
    ///   - rtcp: the RTCP packet.
    ///   - now: the current time.
    ///   - packets: receives the retransmissions.
    public func receive(_ rtcp: Span<UInt8>, at now: MediaTime, retransmittingTo packets: some PacketSink) {
        session.change(delivering: { $0.deliver(to: packets) }) { _ = $0.insert(rtcp, at: now) }
    }

    /// Sends the reports that are due, and the packets that congestion control held back until now.
    public func sendReports(at now: MediaTime, to packets: some PacketSink) {
        guard nextReportTime(at: now) <= now else { return }
        // A session that only sends has no frames to decode.
        var nothing: [UInt8] = []
        _ = session.poll(at: now, into: &nothing, delivering: { $0.deliver(to: packets) }) { _ in }
    }

    /// Returns when ``sendReports(at:to:)`` has something to do next, from `now` on.
    public func nextReportTime(at now: MediaTime) -> MediaTime { max(now, session.look { $0.nextPoll }) }

    /// Whether packets wait to leave.
    package var hasPacketsWaiting: Bool { session.look { $0.pacedPacketCount > 0 } }

    // MARK: Streams

    /// The statistics of each layer, in the order of the layers.
    public var statistics: [SendStatistics] {
        zip(pipeline.statistics, layers).map { layer, stream in
            var layer = layer
            (layer.ssrc, layer.stream) = (stream.settings.ssrc, stream.statistics)
            return layer
        }
    }

    /// The current settings of each layer's stream.
    package var streamSettings: [RTPStreamSettings] { layers.map(\.settings) }

    /// Returns the SSRC of one layer's stream, which the receiver must know.
    public func ssrc(of rid: StreamLayer.RID) -> SSRC { layers[pipeline.index(of: rid)].settings.ssrc }

    /// Returns the description of one layer's stream for its receiver: ``ReceiveSettings/init(_:ssrc:)`` takes it
    /// unchanged.
    public func stream(of rid: StreamLayer.RID) -> StreamDescription { streams[pipeline.index(of: rid)] }

    /// The descriptions of all streams for their receivers and for signaling, in the order of the layers.
    public var streams: [StreamDescription] {
        zip(pipeline.settings.layers, layers).map { layer, stream in
            var description = StreamDescription(of: stream.settings, codec: layer.codec)
            description.rid = layer.rid.description
            description.limits.take(layer)
            if let feedback = pipeline.settings.congestion?.feedback { description.allow(feedback) }
            return description
        }
    }

    /// Returns all layers as a session description for plain RTP (RFC 8866): a simulcast, whose streams are
    /// identified by RID if their packets carry one, and by SSRC.
    ///
    /// - Parameter address: where the packets go.
    /// - Returns: the session description.
    public func description(to address: UDPAddress) -> SessionDescription { description(of: streams, to: address) }

    /// Returns the session description of one layer's stream for plain RTP (RFC 8866), for a player or a server.
    ///
    /// ```swift
    /// let address = UDPAddress(.loopback, port: 5004)
    /// let text = sender.description(of: .high, to: address).text  // the content of an .sdp file
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
        var stream = stream(of: rid)
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

extension StreamDescription.Limits {
    /// Makes the size and frame rate those of a layer.
    mutating func take(_ layer: LayerSettings) {
        (width, height) = (layer.resolution.width, layer.resolution.height)
        framesPerSecond = layer.frameRate.framesPerSecond
    }
}

extension SharedSession: SendingBudget {
    package func allowance(at now: MediaTime) -> SendingAllowance? { look { $0.allowance(at: now) } }
}

/// A stream of a session that carries the encoded frames of one layer.
///
/// A layer has one for each participant of a call: it encodes once, and each stream has its own sequence numbers,
/// history and key.
package struct LayerStream: Sendable {
    package let session: SharedSession
    package let id: SendingStreamID

    /// Adds a stream to a session.
    package init(_ settings: RTPStreamSettings, on session: SharedSession) throws(PipelineError) {
        self.session = session
        do throws(SessionError) {
            id = try session.look { (session) throws(SessionError) in try session.send(settings) }
        } catch {
            throw PipelineError(error)
        }
    }

    /// The stream's current settings.
    package var settings: RTPStreamSettings {
        guard let stream = session.look({ $0.settings(of: id) }) else { preconditionFailure("a layer's stream stays") }
        return stream
    }

    package var statistics: RTPStreamStatistics { session.look { $0.statistics(of: id) } ?? RTPStreamStatistics() }
}

/// Another destination of a layer's encoded frames.
package protocol LayerOutput: AnyObject, Sendable {
    /// Takes an encoded frame on the layer's thread; the bytes are valid until it returns.
    ///
    /// - Returns: the RTP timestamp that it is sent with; `nil` if it is not sent.
    func send(_ frame: EncodedFrame, _ payload: Span<UInt8>, of layer: Int, at now: MediaTime) -> RTPTimestamp?
}
