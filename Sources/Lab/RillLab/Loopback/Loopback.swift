public import Rill
import RillCodec
public import RillCore
import RillLink
import RillReceive
import RillSend
import RillTranscode

/// A loopback session: a source is sent over an emulated network and received again, in virtual time or live.
///
/// ```swift
/// let loopback = try Loopback(settings) { try PortraitScene(…) }
/// let report = try loopback.runInVirtualTime()
/// ```
///
/// In virtual time it runs as fast as it can, and the same seed gives the same report to the last byte. Live it runs
/// with real threads in real time. Each instance runs once.
public final class Loopback {
    /// The settings of the session.
    public let settings: LoopbackSettings
    /// Records what arrives over the network; `nil` by default. Set it before the session runs, which finishes it.
    public var capture: LinkCapture?

    let source: any FrameSource
    /// The encoders: request key frames, change bitrates and switch layers here while the session runs.
    public let sender: SendPipeline
    let meters: [LoopbackMeter]
    /// Records events over time; `nil` unless recording is on.
    let recorder: SessionRecorder?

    /// Prepares a session.
    ///
    /// - Parameters:
    ///   - settings: what is sent, over which network, and how it is received.
    ///   - taps: sinks that see the frames on the sending side; none by default.
    ///   - outputs: receive the shown pictures of each layer; fewer than layers, or `nil`, for layers without output.
    ///   - makeSource: returns the source, from its start, each time it is called: once to send it, and once for each
    ///     layer to compare with.
    /// - Throws: an error of `makeSource`, ``/Rill/PipelineError``, or an error of the comparison.
    public init(
        _ settings: LoopbackSettings, taps: sending SendTaps = SendTaps(), outputs: [FixedRateOutput?] = [],
        makeSource: () throws -> any FrameSource
    ) throws {
        self.settings = settings
        self.source = try makeSource()
        var send = SendSettings(layers: settings.layers, seed: settings.network.seed)
        send.adaptation = settings.adaptation
        send.beauty = settings.beauty
        send.faces = settings.faces
        send.congestion = settings.congestion
        if !settings.usesRetransmissionStream { send.retransmissionPayloadType = nil }
        send.fec = settings.fec
        self.sender = try SendPipeline(send, taps: taps)
        let recorder = settings.isRecorded ? SessionRecorder(sender.settings) : nil
        var meters: [LoopbackMeter] = []
        for (index, layer) in settings.layers.enumerated() {
            let log = SentFrameLog()
            let layerRecorder = recorder?.layers[index]
            sender.layers[index].observe { frame, timestamp in
                log.add(frame, timestamp)
                layerRecorder?.sent(frame)
            }
            let comparator =
                settings.measuresQuality
                ? try ReferenceComparator(
                    source: BeautySource(
                        try makeSource(), options: settings.beauty, faces: settings.faces, looksAhead: false),
                    layer: layer)
                : nil
            meters.append(
                try LoopbackMeter(
                    layer, log: log, comparator: comparator, recorder: layerRecorder,
                    output: outputs.indices.contains(index) ? outputs[index] : nil))
        }
        self.meters = meters
        self.recorder = recorder
    }

    /// Returns the events over time, in the order of the layers; empty unless ``LoopbackSettings/isRecorded``. Call
    /// it when the session is over; the pictures around freezes are encoded then.
    ///
    /// - Throws: ``RillCodec/CodecError``.
    public func timelines() throws -> [LayerTimeline] {
        try recorder?.layers.map { try $0.timeline() } ?? []
    }

    /// What congestion control did, about ten times a second and at most 2048 times; empty without, or unless
    /// ``LoopbackSettings/isRecorded``.
    public var networkTimeline: [NetworkSample] { recorder?.network?.samples ?? [] }

    /// Changes how the receiver receives layer `index` to what the settings say.
    func adjust(_ receive: inout ReceiveSettings, layer index: Int) {
        receive.jitterBuffer.playoutDelay = settings.playoutDelay
        if !settings.usesNACK { receive.jitterBuffer.nack = nil }
        if let recorder = recorder?.layers[index] { receive.observer = { recorder.note($0, at: $1) } }
        // The limit protects against unknown senders; this sender is known.
        receive.maximumPixelCount = max(receive.maximumPixelCount, settings.layers[index].resolution.pixelCount)
    }

    /// Returns the report of the session.
    func report(
        mode: String, duration: MediaDuration, framesCaptured: Int, framesDropped: [Int],
        sent: [SendStatistics], received: [ReceiveStatistics], interruption: (any Error)?
    ) -> LoopbackReport {
        LoopbackReport(
            mode: mode, duration: duration.seconds, framesCaptured: framesCaptured,
            network: settings.network.description,
            returnNetwork: settings.returnPath == settings.network.forReturnPath
                ? nil : settings.returnNetwork?.description,
            layers: settings.layers.indices.map { index in
                LoopbackReport.Layer(
                    settings.layers[index], sent: sent[index], framesDropped: framesDropped[index],
                    received: received[index], meter: meters[index], duration: duration)
            },
            interruption: interruption.map { "\($0)" })
    }
}
