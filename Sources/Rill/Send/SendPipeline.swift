import RillCodec
public import RillCore
public import RillRTP
import RillSend

/// The sending side: a frame in, the packets of every layer out.
///
///     let pipeline = try SendPipeline(SendSettings(layers: [.high(.vga, bitrate: .kilobits(800)), .low], seed: 7))
///     try pipeline.send(frame, at: now, to: socket)
///
/// A frame passes the taps and the ``SimulcastPlan``, is encoded by each layer that wants it, and cut into packets. The
/// pipeline owns no thread and reads no clock: ``LiveSender`` runs each layer on a thread of its own, ``send(_:at:to:)``
/// one after the other, with the same bytes.
///
/// Threading: every method may be called from any thread. Frames are given by one at a time, in their order.
public final class SendPipeline: Sendable {
    /// What is sent.
    public let settings: SendSettings
    let layers: [SendLayer]
    private let plan: Monitor<SimulcastPlan>
    private let frameTaps: Monitor<FrameTaps>
    private let encodedTap: Monitor<(any EncodedFrameSink)?>

    private struct FrameTaps {
        var captured: (any FrameSink)?
        var preprocessed: (any FrameSink)?
    }

    /// A pipeline that has sent nothing.
    public init(_ settings: SendSettings, taps: sending SendTaps = SendTaps()) throws(PipelineError) {
        self.settings = settings
        do { self.plan = Monitor(try SimulcastPlan(layers: settings.layers)) } catch { throw .codec(error) }
        // Locked apart: a slow recording of coded frames must not hold up the camera.
        // The pipeline alone has the sinks from here on, and calls each under one of the two locks only.
        nonisolated(unsafe) let frames = FrameTaps(captured: taps.captured, preprocessed: taps.preprocessed)
        nonisolated(unsafe) let encoded = taps.encoded
        self.frameTaps = unsafe Monitor(frames)
        self.encodedTap = unsafe Monitor(encoded)
        var random = SeededGenerator(seed: settings.seed)
        var layers: [SendLayer] = []
        for layer in settings.layers { layers.append(try SendLayer(layer, settings, using: &random)) }
        self.layers = layers
    }

    /// Sends one frame on every layer that wants it, and the sender reports that are due; their packets are with
    /// `packets` when this returns.
    ///
    /// - Parameter now: the time that the stages are stamped with.
    /// - Throws: ``CodecError``, or what a tap throws.
    public func send(_ frame: VideoFrame, at now: MediaTime, to packets: some PacketSink) throws {
        let (frame, tasks) = try admit(frame) { now }
        for index in layers.indices {
            guard let task = tasks[index] else { continue }
            try encode(frame, task, layer: index, to: packets) { now }
        }
        sendReports(at: now, to: packets)
    }

    /// The first half of the way: stamps the frame, shows it to the taps and says what each layer is to do with it.
    func admit(
        _ captured: VideoFrame, clock: () -> MediaTime
    ) throws -> (frame: VideoFrame, tasks: LayerTasks) {
        var frame = captured
        if frame.stamps[.captured] == nil { frame.stamps[.captured] = clock() }
        try frameTaps.withLock { try $0.captured?.consume(frame) }
        frame.stamps[.preprocessed] = clock()
        try frameTaps.withLock { try $0.preprocessed?.consume(frame) }
        let tasks = plan.withLock { $0.tasks(at: frame.captureTime) }
        return (frame, tasks)
    }

    /// The second half, for one layer: encodes the frame and sends its packets.
    func encode(
        _ frame: VideoFrame, _ task: LayerTask, layer index: Int, to packets: some PacketSink, clock: () -> MediaTime
    ) throws {
        try layers[index].encode(frame, task) { coded, payload in
            var coded = coded
            coded.stamps[.encoded] = clock()
            try encodedTap.withLock { try $0?.consume(coded, payload: payload) }
            layers[index].send(coded, payload, to: packets, clock: clock)
        }
    }

    /// No frame will follow: the taps' sinks write what is still to be written. All of them do, whatever happens to one;
    /// the first error is thrown.
    public func finish() throws {
        let results = [
            Result { try frameTaps.withLock { try $0.captured?.finish() } },
            Result { try frameTaps.withLock { try $0.preprocessed?.finish() } },
            Result { try encodedTap.withLock { try $0?.finish() } },
        ]
        for result in results { try result.get() }
    }
}

// MARK: - Control at run time

extension SendPipeline {
    /// Takes an RTCP packet of the receiver. A key frame that it asks for comes with the layer's next frame; packets that
    /// it misses (generic NACK) are sent again to `packets`, as far as they are kept.
    public func receive(_ rtcp: Span<UInt8>, at now: MediaTime, resendingTo packets: (some PacketSink)?) {
        for index in layers.indices where layers[index].receive(rtcp, at: now, resendingTo: packets) {
            plan.withLock { $0.requestKeyFrame(layer: index) }
        }
    }

    /// The same without sending anything again.
    public func receive(_ rtcp: Span<UInt8>, at now: MediaTime) {
        receive(rtcp, at: now, resendingTo: PacketTap?.none)
    }

    /// Sends the sender reports that are due.
    public func sendReports(at now: MediaTime, to packets: some PacketSink) {
        for layer in layers { layer.sendReport(at: now, to: packets) }
    }

    /// When ``sendReports(at:to:)`` has something to do next, asked at `now`.
    public func nextReportTime(at now: MediaTime) -> MediaTime {
        var earliest = MediaTime.distantFuture
        for layer in layers { earliest = min(earliest, layer.nextReportTime(at: now)) }
        return earliest
    }

    /// What each layer has sent, in the order of the layers.
    public var statistics: [SendStatistics] { layers.map(\.statistics) }

    /// Asks for a key frame on one layer; it comes with that layer's next frame, and on no other layer.
    public func requestKeyFrame(_ rid: StreamLayer.RID) {
        plan.withLock { $0.requestKeyFrame(layer: index(of: rid)) }
    }

    /// Sets the target of one layer's rate control from its next frame on, 1 kbit/s to 1 Gbit/s.
    ///
    /// - Throws: ``CodecError/invalidSettings(_:)``; the target then stays as it was.
    public func setBitrate(_ bitrate: Bitrate, of rid: StreamLayer.RID) throws(CodecError) {
        try plan.withLock { (plan) throws(CodecError) in try plan.change(layer: index(of: rid)) { $0.bitrate = bitrate } }
    }

    /// Switches one layer on or off. Switched on, it starts with a key frame.
    public func setActive(_ isActive: Bool, _ rid: StreamLayer.RID) {
        plan.withLock { $0.setActive(isActive, layer: index(of: rid)) }
    }

    /// The source identifier of one layer's stream, which the receiver has to know.
    public func ssrc(of rid: StreamLayer.RID) -> SSRC { layers[index(of: rid)].ssrc }

    func index(of rid: StreamLayer.RID) -> Int {
        guard let index = layers.firstIndex(where: { $0.settings.rid == rid }) else {
            preconditionFailure("there is no layer \(rid)")
        }
        return index
    }
}
