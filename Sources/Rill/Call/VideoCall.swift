import RillBeauty
public import RillCodec
public import RillCore
public import RillSecurity
import RillSession
public import RillThreads
public import RillTransport

/// A call in both directions: one source encoded once, and any number of others to send it to and to see.
///
///     let socket = try UDPSocket(boundTo: UDPAddress(.v4(0), port: 5004))
///     let call = try VideoCall(VideoCallSettings(layers: [.high(.vga, bitrate: .kilobits(800)), .low]), source: camera)
///     let bob = try call.connect(to: .resolve("example.org:5004"), over: socket, key: try SRTPKey(base64: text))
///     try bob.show(on: screen)
///     for await event in call.events { print(event) }
///     …
///     await call.end()
///
/// Each participant has a session (``RillSession/RTPSession``), sources and a key of their own; the encoders are shared: a key frame
/// that one of them asks for is everybody's. A participant is shown as one sequence of pictures, by the layer that is wanted
/// (``want(_:of:)``), or layer by layer.
///
/// **Layers.** What nobody wants is not encoded and not sent, from a round trip after it was said on: a grid of sixteen is sixteen low
/// layers, and the one who is clicked on is high a round trip and a picture later.
///
/// **Keys.** With a key everything is protected in both directions (SRTP, ``RillSecurity/SRTPProtector``), and what cannot be opened
/// reaches no parser. A key is for one call. Without one, packets go in the clear.
///
/// **Nothing waits.** Encoders never wait for a socket: what its full buffer does not take is lost and repaired like any loss.
///
/// Threads: `rill-capture`, one for each layer's encoder (``LiveSender``), `rill-network` for each transport, `rill-decode-0` and so
/// on. All methods may be called from any thread, and by sinks and taps. It ends with ``end(reason:)``, or when it is let go.
public final class VideoCall: Sendable {
    /// What happens. One loop at a time; it ends with the call. Of events that nobody takes the newest 1024 are kept.
    public let events: AsyncStream<CallEvent>
    private let core: CallCore

    /// A call with nobody in it yet.
    ///
    /// - Parameters:
    ///   - source: what is sent; it belongs to the capture thread from now on. `nil` for a call that only watches.
    ///   - taps: where an app looks into the sending side: the local preview.
    /// - Throws: ``PipelineError``.
    public init(
        _ settings: VideoCallSettings = VideoCallSettings(), source: sending (any FrameSource)?,
        taps: sending SendTaps = SendTaps(), clock: LiveClock = LiveClock()
    ) throws(PipelineError) {
        let (events, continuation) = AsyncStream.makeStream(of: CallEvent.self, bufferingPolicy: .bufferingNewest(1024))
        self.events = events
        core = try CallCore(settings, source: source, taps: taps, clock: clock, continuation)
    }

    deinit { core.endLater() }

    /// The call's clock: what pictures are stamped with.
    public var clock: LiveClock { core.clock }

    // MARK: Others

    /// Meets somebody at an address, who uses the same key as we do.
    ///
    /// - Parameters:
    ///   - address: where they are; `nil` where their packets, or the transport, will say so.
    ///   - transport: the way to them. The call reads it from now on, and closes it in the end; several participants may share one.
    ///   - key: what both protect their packets with; `nil` for packets in the clear.
    /// - Throws: ``CallError``, ``PipelineError`` or ``SecurityError``.
    @discardableResult
    public func connect(
        to address: UDPAddress?, over transport: any DatagramTransport, key: SRTPKey?
    ) throws -> CallParticipant {
        try add(ParticipantSettings(at: address, key: key), over: transport)
    }

    /// Meets somebody as `participant` says.
    ///
    ///     try call.add(bob, over: socket) { them in try them.show(on: screen) }
    ///
    /// - Parameter prepare: is called before their first packet is read. What is shown from there on misses nothing; what is shown later
    ///   begins with the key frame that it asks for, which who takes no requests (a plain RTP sender) sends in its own time.
    /// - Throws: ``CallError``, ``PipelineError``, ``SecurityError``, or what `prepare` throws; then nobody is met.
    @discardableResult
    public func add(
        _ participant: ParticipantSettings, over transport: any DatagramTransport,
        _ prepare: (CallParticipant) throws -> Void = { _ in }
    ) throws -> CallParticipant {
        try core.add(participant, over: transport, prepare)
    }

    /// Who is in the call, those that we have left excepted.
    public var participants: [CallParticipant] { core.participants }

    /// Wants a layer of theirs, or whichever fits a size, or none, in the sequence that they are shown as: see
    /// ``CallParticipant/want(_:)``.
    ///
    /// - Throws: ``CallError/noSuchLayer(_:sent:)``.
    public func want(_ layer: CallParticipant.WantedLayer, of them: CallParticipant) throws(CallError) {
        try them.want(layer)
    }

    // MARK: What we send

    /// Sends no pictures for a while, or sends them again, without any signalling: the others are told (RFC 7728), encoders rest, and
    /// reports go on. Afterwards each layer begins with a key frame.
    public func setMuted(_ isMuted: Bool) { core.setMuted(isMuted) }

    /// Whether no pictures are sent.
    public var isMuted: Bool { core.isMuted }

    /// Sends another source from its first frame on, which is a key frame; sizes may differ.
    public func setSource(_ source: sending any FrameSource) { core.setSource(source) }

    /// Changes what is done to faces, from the next frame on.
    public func setBeauty(_ options: BeautyOptions) { core.pipeline?.setBeauty(options) }

    /// Sets the target of one layer's rate control, 1 kbit/s to 1 Gbit/s.
    ///
    /// - Throws: ``CodecError/invalidSettings(_:)``; the target then stays as it was.
    public func setBitrate(_ bitrate: Bitrate, of layer: StreamLayer.RID) throws(CodecError) {
        try change(layer) { $0.bitrate = bitrate }
    }

    /// Changes the settings of one layer from its next frame on: see ``SendPipeline/change(_:_:)``.
    public func change(
        _ layer: StreamLayer.RID, _ body: (inout LayerSettings) -> Void
    ) throws(CodecError) {
        try core.pipeline?.change(layer, body)
    }

    /// Switches one layer on or off for everybody. Switched on, it begins with a key frame.
    public func setActive(_ isActive: Bool, _ layer: StreamLayer.RID) { core.setActive(isActive, layer) }

    // MARK: The whole

    /// What the call has been through so far.
    public var statistics: CallStatistics { core.statistics }

    /// Leaves everybody, and waits until all threads are done, sinks are finished and transports closed. The last event is
    /// ``CallEvent/over``.
    ///
    /// - Parameter reason: what the others are told, 1 to 255 bytes of UTF-8.
    public func end(reason: String? = nil) async { await core.end(reason: reason) }
}
