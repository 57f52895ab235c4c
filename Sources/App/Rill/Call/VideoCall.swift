public import RillBeauty
public import RillCodec
public import RillCore
public import RillSecurity
import RillSession
public import RillThreads
public import RillTransport

/// A two-way call: one source, encoded once, and any number of participants to send it to and to watch.
///
/// ```swift
/// let socket = try UDPSocket(boundTo: UDPAddress(.v4(0), port: 5004))
/// let call = try VideoCall(VideoCallSettings(layers: [.high(.vga, bitrate: .kilobits(800)), .low]), source: camera)
/// let bob = try call.connect(to: .resolve("example.org:5004"), over: socket, key: SRTPKey(base64: text))
/// try bob.show(on: screen)
/// for await event in call.events { print(event) }
/// …
/// await call.end()
/// ```
///
/// Each participant has its own session (``RillSession/RTPSession``), SSRCs and key. The encoders are shared, so a
/// key frame that one participant requests goes to all. A participant is shown as one sequence of pictures, from the
/// wanted layer (``want(_:of:)``), or layer by layer.
///
/// **Layers.** A layer that no participant wants is neither encoded nor sent, from about a round trip after the
/// request. A grid of sixteen people costs sixteen low layers. A click on one of them shows the high layer a round
/// trip and a frame later.
///
/// **Keys.** With a key, everything is protected in both directions (SRTP, ``RillSecurity/SRTPProtector``), and a
/// packet that cannot be opened reaches no parser. Use a key for one call only. Without a key, packets are sent in
/// the clear.
///
/// **Nothing blocks.** Encoders never wait for a socket. What a full send buffer does not take is lost, and repaired
/// like any loss.
///
/// Threads: `rill-capture`, one thread for each layer's encoder, `rill-network` for each transport,
/// and the decoding threads `rill-decode-0` and so on. All methods may be called from any thread, and by sinks and
/// taps. The call ends with ``end(reason:)``, or when it is released.
public final class VideoCall: Sendable {
    /// The call's events, for one loop at a time. The stream ends with the call. Of events that nobody reads, the
    /// newest 1024 are kept.
    public let events: AsyncStream<CallEvent>
    private let core: CallCore

    /// Creates a call without participants.
    ///
    /// - Parameters:
    ///   - settings: how the call sends and receives.
    ///   - source: the frames to send; it belongs to the capture thread from now on. `nil` for a call that only
    ///     receives.
    ///   - taps: where an app sees frames on the sending side, for example for a local preview.
    ///   - clock: the call's clock.
    /// - Throws: ``PipelineError``.
    public init(
        _ settings: VideoCallSettings = VideoCallSettings(), source: sending (any FrameSource)?,
        taps: sending SendTaps = SendTaps(), clock: LiveClock = LiveClock()
    ) throws(PipelineError) {
        core = try CallCore(settings, source: source, taps: taps, clock: clock)
        events = core.events
    }

    /// Creates a call whose encoders are the caller's own, and which sends until its source ends: for a laboratory. No
    /// other source follows, and the times of the frames stay as they are.
    ///
    /// - Parameters:
    ///   - settings: how the call sends and receives; of the pipeline's own settings.
    ///   - source: the frames to send.
    ///   - pipeline: encodes them.
    ///   - clock: the call's clock.
    package init(
        _ settings: VideoCallSettings, source: sending any FrameSource, through pipeline: SendPipeline, clock: LiveClock
    ) throws(PipelineError) {
        core = try CallCore(settings, source: source, taps: SendTaps(), through: pipeline, clock: clock)
        events = core.events
    }

    deinit { core.endLater() }

    /// The threads that capture and encode; `nil` without a source.
    package var encoders: LiveEncoders? { core.sender }

    /// The call's clock, which timestamps pictures.
    public var clock: LiveClock { core.clock }

    // MARK: Participants

    /// Adds a participant at an address, who uses the same key as we do.
    ///
    /// - Parameters:
    ///   - address: the participant's address; `nil` if their packets or the transport reveal it.
    ///   - transport: the transport that reaches them. The call reads it from now on, and closes it at the end.
    ///     Several participants may share one.
    ///   - key: the key of both directions; `nil` for packets in the clear.
    /// - Returns: the participant.
    /// - Throws: ``CallError``, ``PipelineError`` or ``/RillSecurity/SecurityError``.
    @discardableResult
    public func connect(
        to address: UDPAddress?, over transport: any DatagramTransport, key: SRTPKey?
    ) throws -> CallParticipant {
        try add(ParticipantSettings(at: address, key: key), over: transport)
    }

    /// Adds a participant with these settings.
    ///
    /// ```swift
    /// try call.add(bob, over: socket) { them in try them.show(on: screen) }
    /// ```
    ///
    /// - Parameters:
    ///   - participant: the participant's address, keys and streams.
    ///   - transport: the transport that reaches them. The call reads it from now on, and closes it at the end.
    ///     Several participants may share one.
    ///   - prepare: is called before their first packet is read. What it shows misses nothing. What is shown later
    ///     starts with the key frame that it requests; a sender that takes no requests (plain RTP) sends one in its
    ///     own time.
    /// - Returns: the participant.
    /// - Throws: ``CallError``, ``PipelineError``, ``/RillSecurity/SecurityError``, or what `prepare` throws. Then no
    ///   participant is added.
    @discardableResult
    public func add(
        _ participant: ParticipantSettings, over transport: any DatagramTransport,
        _ prepare: (CallParticipant) throws -> Void = { _ in }
    ) throws -> CallParticipant {
        try core.add(participant, over: transport, prepare)
    }

    /// The participants of the call, except those that we have left.
    public var participants: [CallParticipant] { core.participants }

    /// The layers that the call sends; none without a source.
    package var sentLayers: [LayerSettings] { core.pipeline?.layers.map(\.settings) ?? [] }

    /// Sets which layer a participant's sequence shows: see ``CallParticipant/want(_:)``.
    ///
    /// - Parameters:
    ///   - layer: a layer, an automatic choice for a display size, or none.
    ///   - them: the participant.
    /// - Throws: ``CallError/noSuchLayer(_:sent:)``.
    public func want(_ layer: CallParticipant.WantedLayer, of them: CallParticipant) throws(CallError) {
        try them.want(layer)
    }

    // MARK: Sending

    /// Pauses sending pictures, or resumes it, without any signaling. The participants are notified in RTCP (RFC
    /// 7728), the encoders rest, and reports continue. After a pause each layer starts with a key frame.
    public func setMuted(_ isMuted: Bool) { core.setMuted(isMuted) }

    /// Whether sending is paused.
    public var isMuted: Bool { core.isMuted }

    /// Switches to another source from its first frame on, which is a key frame; sizes may differ.
    public func setSource(_ source: sending any FrameSource) { core.setSource(source) }

    /// Changes the face processing, from the next frame on: see ``SendPipeline/setBeauty(_:)``.
    public func setBeauty(_ options: BeautyOptions) { core.pipeline?.setBeauty(options) }

    /// Gives all faces of a picture of ours, found by a detector of the app: see ``SendPipeline/giveFaces(_:at:)``.
    public func giveFaces(_ faces: [FaceRegion], at time: MediaTime) { core.pipeline?.giveFaces(faces, at: time) }

    /// Sets the target bitrate of one layer.
    ///
    /// - Parameters:
    ///   - bitrate: 1 kbit/s to 1 Gbit/s.
    ///   - layer: the layer.
    /// - Throws: ``/RillCodec/CodecError/invalidSettings(_:)``; the target then stays unchanged.
    public func setBitrate(_ bitrate: Bitrate, of layer: StreamLayer.RID) throws(CodecError) {
        try change(layer) { $0.bitrate = bitrate }
    }

    /// Changes the settings of one layer, from its next frame on: see ``SendPipeline/change(_:_:)``.
    public func change(
        _ layer: StreamLayer.RID, _ body: (inout LayerSettings) -> Void
    ) throws(CodecError) {
        try core.change(layer, body)
    }

    /// Switches one layer on or off for all participants. After it is switched on, it starts with a key frame.
    public func setActive(_ isActive: Bool, _ layer: StreamLayer.RID) { core.setActive(isActive, layer) }

    // MARK: Statistics and end

    /// The call's statistics so far.
    public var statistics: CallStatistics { core.statistics }

    /// Leaves all participants. Waits until all threads have ended, all sinks are finished and all transports are
    /// closed. The last event is ``CallEvent/over``.
    ///
    /// - Parameter reason: the reason sent to the participants, 1 to 255 bytes of UTF-8.
    public func end(reason: String? = nil) async { await core.end(reason: reason) }

    /// Does the same on this thread, which must not be one of the call's own.
    package func endNow() { core.endNow() }
}
