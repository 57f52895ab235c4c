import Rill
public import RillCore
import RillFiles
public import RillLink
public import RillRTP
public import RillReceive
public import RillSend
import RillSession

/// A simulation of a call in virtual time, except for the codecs: packets, network, jitter buffer, feedback.
///
/// ```swift
/// var settings = CallSettings(layers: [.low], network: try LinkSettings(notation: "loss=2%,delay=50ms,seed=7"))
/// let simulation = CallSimulation(settings, observer: log)
/// try simulation.run(sending: [low])
/// ```
///
/// Frames come from ``CodedLayer``s, so an hour of a call takes seconds. If the receiver requests a key frame, the
/// layer's first one replaces the one that the encoder would have made, and the observer is notified. For the exact
/// result of such a call, run it with codecs: ``run(encoding:sink:)``. A call without key frame requests gives the
/// same result either way, frame by frame and nanosecond by nanosecond.
public final class CallSimulation {
    private let settings: CallSettings
    private let observer: any CallObserver

    /// Creates a simulation, which runs once.
    public init(_ settings: CallSettings, observer: any CallObserver) {
        self.settings = settings
        self.observer = observer
    }

    /// How long after its last frame a call waits for what is still in flight.
    static let drainTime = MediaDuration.seconds(3)

    /// Runs the call without codecs, to the end of the layers.
    ///
    /// - Parameters:
    ///   - layers: the encoded layers, one for each of the settings.
    ///   - answer: what is sent in the other direction: layers of the same settings, and their observer; `nil` for
    ///     nothing. Datagrams of both directions are reported to the call's own observer.
    /// - Returns: the statistics of the jitter buffers that received `layers`.
    /// - Throws: ``/RillSession/SessionError`` or ``/RillRTP/StreamDescriptionError`` for settings that cannot be
    ///   sent or received.
    @discardableResult
    public func run(
        sending layers: [CodedLayer], answer: (layers: [CodedLayer], observer: any CallObserver)? = nil
    ) throws -> [InboundStatistics] {
        precondition(layers.count == settings.layers.count, "\(layers.count) layers for \(settings.layers.count)")
        let (way, returnPath) = makeLinks()
        let answerObserver = answer?.observer ?? observer
        let here = CodecFreeEnd(
            RTPSession(settings.session(0)), packets: way, decodeTime: settings.decodeTime, observer: observer,
            shownObserver: answerObserver)
        let there = CodecFreeEnd(
            RTPSession(settings.session(1)), packets: returnPath, decodeTime: settings.decodeTime,
            observer: answerObserver, shownObserver: observer)
        try connect(layers, from: here, to: there, seed: settings.send.seed, observer)
        if let answer { try connect(answer.layers, from: there, to: here, seed: ~settings.send.seed, answer.observer) }
        way.connect { [observer] datagram, now in
            observer.datagramArrived(datagram, .toReceiver, at: now)
            there.insert(datagram, at: now)
        }
        // Unowned: it holds the forward link, which holds the other end, and that holds the return link.
        returnPath.connect { [observer, settings, unowned here] datagram, now in
            observer.datagramArrived(datagram, .toSender, at: now)
            if !settings.isOpenLoop { here.insert(datagram, at: now) }
        }
        try VirtualDriver([here, way, returnPath, there]).run(drainingWithin: Self.drainTime) {
            here.isDone && there.isDone
        } isIdle: {
            way.isIdle && returnPath.isIdle && here.isIdle && there.isIdle
        }
        return there.statistics
    }

    /// Makes one end send layers, and the other one receive them.
    private func connect<There: PacketSink, Back: PacketSink>(
        _ layers: [CodedLayer], from sender: CodecFreeEnd<There>, to receiver: CodecFreeEnd<Back>, seed: UInt64,
        _ observer: any CallObserver
    ) throws {
        var random = SeededGenerator(seed: seed)
        let streams = settings.layers.map { settings.send.stream(of: $0, using: &random) }
        observer.callBegan(streams: streams)
        for (index, stream) in streams.enumerated() {
            try sender.send(layers[index], as: stream)
            try receiver.receive(try settings.receive(stream, of: settings.layers[index]).stream)
        }
    }

    /// Runs the call with encoders and decoders, to the end of the source.
    ///
    /// - Parameters:
    ///   - source: the frames to send.
    ///   - sink: receives each shown picture, with its layer and RTP timestamp.
    /// - Throws: an error of the source, an encoder or the sink.
    public func run(
        encoding source: any FrameSource, sink: @escaping (Int, RTPTimestamp, VideoFrame) throws -> Void
    ) throws {
        let (call, progress) = try connect(source, over: makeLinks(), sink)
        try call.run(drainingWithin: Self.drainTime) { progress(call.now) }
    }

    /// Runs several calls with encoders and decoders at once, to the end of their sources. Their forward paths share a
    /// bottleneck: it replaces the rate and the queue of each call's network.
    ///
    /// - Parameters:
    ///   - calls: the calls, each with the frames to send. A source whose first frame is captured later joins then.
    ///   - bottleneck: what they share.
    /// - Throws: an error of a source or an encoder.
    public static func run(
        _ calls: [(simulation: CallSimulation, source: any FrameSource)], through bottleneck: Bottleneck
    ) throws {
        let joined = try calls.map { simulation, source in
            try simulation.connect(source, over: simulation.makeLinks(through: bottleneck)) { _, _, _ in }
        }
        let driver = VirtualDriver(joined.flatMap { $0.call.stages })
        try driver.run(drainingWithin: drainTime) {
            for (call, progress) in joined where !call.sender.isDone { progress(driver.now) }
            return joined.allSatisfy(\.call.sender.isDone)
        } isIdle: {
            joined.allSatisfy(\.call.isIdle)
        }
    }

    /// Joins two ends with encoders and decoders.
    ///
    /// - Returns: the call, and what tells the observer of the estimate after each step.
    private func connect(
        _ source: any FrameSource, over links: (way: VirtualLink, returnPath: VirtualLink),
        _ sink: @escaping (Int, RTPTimestamp, VideoFrame) throws -> Void
    ) throws -> (call: VirtualCall, progress: (MediaTime) -> Void) {
        let sender = try PacketSender(SendPipeline(settings.send), on: SharedSession(settings.session(0)))
        let streams = sender.streamSettings
        observer.callBegan(streams: streams)
        for (index, layer) in sender.pipeline.layers.enumerated() {
            // Everything happens on this thread, and the pipeline does not outlive the call.
            nonisolated(unsafe) let observer = observer
            layer.observe { frame, timestamp in
                unsafe observer.frameWasSent(
                    layer: index, timestamp: timestamp, captureTime: frame.captureTime,
                    at: frame.timestamps[.sent] ?? frame.captureTime)
            }
        }
        var taps = VirtualCall.Taps()
        taps.arrived = { [observer] in observer.datagramArrived($1, $0, at: $2) }
        taps.deliversFeedback = !settings.isOpenLoop
        let call = VirtualCall(
            sender, source: source, encodeTime: settings.encodeTime, decodeTime: settings.decodeTime, over: links.way,
            back: links.returnPath, taps
        ) { feedback in ReceivePipeline(on: SharedSession(settings.session(1)), feedback: feedback) }
        for (index, stream) in streams.enumerated() {
            let screen = FrameTap { [observer] picture in
                let ticks = picture.captureTime.ticks(rate: RTPTimestamp.videoClockRate)
                let timestamp = RTPTimestamp(UInt32(truncatingIfNeeded: ticks))
                guard let now = picture.timestamps[.shown] else { return }
                observer.frameWasShown(layer: index, timestamp: timestamp, at: now)
                try sink(index, timestamp, picture)
            }
            let receive = try settings.receive(stream, of: settings.layers[index])
            _ = try call.receiver.pipeline.add(receive, sink: screen, at: .zero)
        }
        return (
            call,
            { [observer] now in
                guard let allowance = sender.session.allowance(at: now) else { return }
                observer.rateWasEstimated(allowance.bitrate, at: now)
            }
        )
    }

    private func makeLinks(through bottleneck: Bottleneck? = nil) -> (way: VirtualLink, returnPath: VirtualLink) {
        (link(settings.network, .toReceiver, through: bottleneck), link(settings.returnPath, .toSender))
    }

    private func link(
        _ settings: LinkSettings, _ direction: LinkDirection, through bottleneck: Bottleneck? = nil
    ) -> VirtualLink {
        let link = VirtualLink(settings, through: bottleneck)
        link.observe { [observer, unowned link] datagram, now, outcome in
            observer.datagramWasSent(datagram, direction, at: now, outcome)
            observer.datagramPassed(link.link.lastPassage, direction)
        }
        return link
    }
}

/// An observer of a simulated call, called with events in order.
public protocol CallObserver: AnyObject {
    /// The call starts; these are the layers' streams.
    func callBegan(streams: [RTPStreamSettings])
    /// A layer's frame was handed to the network, with all its packets.
    func frameWasSent(layer: Int, timestamp: RTPTimestamp, captureTime: MediaTime, at now: MediaTime)
    /// A datagram was sent over the link, with this outcome. The bytes are valid until this returns.
    func datagramWasSent(_ datagram: Span<UInt8>, _ direction: LinkDirection, at now: MediaTime, _ outcome: SendOutcome)
    /// How the datagram that was just sent passes the bottleneck; `nil` if its queue dropped it.
    func datagramPassed(_ passage: BottleneckPassage?, _ direction: LinkDirection)
    /// A datagram has arrived at the other end. The bytes are valid until this returns.
    func datagramArrived(_ datagram: Span<UInt8>, _ direction: LinkDirection, at now: MediaTime)
    /// A layer's frame is shown.
    func frameWasShown(layer: Int, timestamp: RTPTimestamp, at now: MediaTime)
    /// A key frame was requested for a layer: its next frame is one.
    func keyFrameWasRequested(layer: Int, at now: MediaTime)
    /// What the sender's congestion control allows, after each event of the call.
    func rateWasEstimated(_ rate: Bitrate, at now: MediaTime)
}

extension CallObserver {
    /// Does nothing.
    public func datagramPassed(_ passage: BottleneckPassage?, _ direction: LinkDirection) {}
    /// Does nothing.
    public func rateWasEstimated(_ rate: Bitrate, at now: MediaTime) {}
}
