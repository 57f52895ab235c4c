import Rill
public import RillCore
import RillFiles
import RillLink
import RillRTP
public import RillReceive
import RillSend

/// Simulates a call in virtual time, all of it but the codecs: packets, network, jitter buffer, feedback.
///
///     var settings = CallSettings(layers: [.low], network: try LinkSettings(notation: "loss=2%,delay=50ms,seed=7"))
///     let simulation = CallSimulation(settings, observer: log)
///     try simulation.run(sending: [low])
///
/// Frames come from ``CodedLayer``s, so an hour of a call takes seconds. Where the receiver asks for a key frame, the
/// layer's first one stands in for what the encoder would have made, and the observer is told: whoever wants to know
/// exactly what becomes of such a call runs it with codecs, ``run(encoding:sink:)``. A call in which nobody asks comes to
/// the same either way, frame by frame and nanosecond by nanosecond.
public final class CallSimulation {
    private let settings: CallSettings
    private let observer: any CallObserver

    /// A call that has not begun. Each simulation runs once.
    public init(_ settings: CallSettings, observer: any CallObserver) {
        self.settings = settings
        self.observer = observer
    }

    /// How long after its last frame a call waits for what is still on its way.
    static let drainTime = MediaDuration.seconds(3)

    /// Runs the call without codecs, to the end of the layers.
    ///
    /// - Parameter layers: coded beforehand, one for each of the settings.
    /// - Returns: the jitter buffers' statistics.
    /// - Throws: ``SendError``.
    @discardableResult
    public func run(sending layers: [CodedLayer]) throws -> [InboundStatistics] {
        precondition(layers.count == settings.layers.count, "\(layers.count) layers for \(settings.layers.count)")
        let (way, wayBack) = makeLinks()
        var random = SeededGenerator(seed: settings.send.seed)
        let streams = settings.layers.map { settings.send.stream(of: $0, using: &random) }
        observer.callBegan(streams: streams)
        let sender = try CodedLayerSender(layers, streams: streams, packets: way, observer: observer)
        let receive = try zip(settings.layers, streams).map { try settings.receive($1, of: $0) }
        let receivers = receive.enumerated().map { index, settings in
            CodecFreeReceiver(settings.stream, feedback: wayBack, decodeTime: self.settings.decodeTime) {
                [observer] frame, now in
                observer.frameWasShown(layer: index, timestamp: frame.rtpTimestamp, at: now)
            }
        }
        var routes = try StreamRoutes(receive.map(\.stream))
        way.connect { [observer] datagram, now in
            observer.datagramArrived(datagram, .toReceiver, at: now)
            routes.route(datagram) { receivers[$0].insert($1, at: now) }
        }
        // Unowned: it holds the way there, which holds the receivers, and they the way back.
        wayBack.connect { [observer, settings, unowned sender] datagram, now in
            observer.datagramArrived(datagram, .toSender, at: now)
            if !settings.isOpenLoop { sender.receive(datagram, at: now) }
        }
        try drive([sender, way, wayBack] + receivers, isSent: { sender.isDone }) {
            way.isIdle && receivers.allSatisfy(\.isIdle)
        }
        return receivers.map(\.statistics)
    }

    /// Runs the call with encoders and decoders, to the end of the source.
    ///
    /// - Parameters:
    ///   - source: what is captured.
    ///   - sink: gets each picture shown, with its layer and RTP timestamp.
    /// - Throws: an error of the source, an encoder or the sink.
    public func run(
        encoding source: any FrameSource, sink: @escaping (Int, RTPTimestamp, VideoFrame) throws -> Void
    ) throws {
        let (way, wayBack) = makeLinks()
        let pipeline = try SendPipeline(settings.send)
        observer.callBegan(streams: pipeline.layers.map(\.streamSettings))
        let sender = VirtualSender(pipeline, source: source, packets: way, encodeTime: .zero)
        for (index, layer) in pipeline.layers.enumerated() {
            // All happens on this thread, and the pipeline does not outlive the call.
            nonisolated(unsafe) let observer = observer
            layer.observe { frame, timestamp in
                unsafe observer.frameWasSent(
                    layer: index, timestamp: timestamp, captureTime: frame.captureTime,
                    at: frame.stamps[.sent] ?? frame.captureTime)
            }
        }
        let receive = try zip(settings.layers, pipeline.layers).map { try settings.receive($1.streamSettings, of: $0) }
        let receivers = try receive.enumerated().map { index, settings in
            let screen = FrameTap { [observer] picture in
                let ticks = picture.captureTime.ticks(rate: RTPTimestamp.videoClockRate)
                let timestamp = RTPTimestamp(UInt32(truncatingIfNeeded: ticks))
                guard let now = picture.stamps[.shown] else { return }
                observer.frameWasShown(layer: index, timestamp: timestamp, at: now)
                try sink(index, timestamp, picture)
            }
            return VirtualReceiver(
                try ReceivePipeline(settings, sink: screen, feedback: wayBack), decodeTime: self.settings.decodeTime)
        }
        var routes = try StreamRoutes(receive.map(\.stream))
        way.connect { [observer] datagram, now in
            observer.datagramArrived(datagram, .toReceiver, at: now)
            routes.route(datagram) { receivers[$0].insert($1, at: now) }
        }
        // Unowned: the way there holds the receivers, and they the way back.
        wayBack.connect { [observer, settings, unowned way] datagram, now in
            observer.datagramArrived(datagram, .toSender, at: now)
            if !settings.isOpenLoop { pipeline.receive(datagram, at: now, resendingTo: way) }
        }
        try drive([sender, way, wayBack] + receivers, isSent: { sender.isDone }) {
            way.isIdle && receivers.allSatisfy(\.isIdle)
        }
    }

    private func makeLinks() -> (way: VirtualLink, wayBack: VirtualLink) {
        (link(settings.network, .toReceiver), link(settings.wayBack, .toSender))
    }

    private func link(_ settings: LinkSettings, _ direction: LinkDirection) -> VirtualLink {
        let link = VirtualLink(settings)
        link.observe { [observer] datagram, now, outcome in
            observer.datagramWasSent(datagram, direction, at: now, outcome)
        }
        return link
    }

    /// Runs the stages until all is sent and what is on its way has arrived, or cannot be waited for any longer.
    private func drive(_ stages: [any TimedStage], isSent: () -> Bool, isIdle: () -> Bool) throws {
        let driver = VirtualDriver(stages)
        var end = MediaTime.distantFuture
        try driver.run {
            guard isSent() else { return false }
            if end == .distantFuture { end = driver.now + Self.drainTime }
            return driver.now >= end || isIdle()
        }
    }
}
