import Rill

/// Ten seconds of a call at full size, and hours made of them.
enum LongCall {
    private static let seconds = 10
    static let layer = LayerSettings.high(.hd720, bitrate: .kilobits(1500))

    /// Encodes ten seconds of 1280x720 at 30 frames a second and 1.5 Mbit/s into `hd.ivf`, and writes the packets that they
    /// make, each at the time of its frame, into `hd.pcap`.
    static func record(clip path: String?, in folder: String) throws {
        let count = 30 * seconds
        let source: any FrameSource =
            if let path { try Y4MReader(path: path) } else {
                try PortraitScene(resolution: .hd720, frameRate: 30, frameCount: count)
            }
        let encoder = try SimulcastEncoder(layers: [layer])
        let file = try IVFWriter(path: folder + "/hd.ivf", codec: .vp8, resolution: layer.resolution)
        let capture = try LinkCapture(path: folder + "/hd.pcap")
        let packets = PacketTap { capture.add($0, .toReceiver, at: $1) }
        var generator = SeededGenerator(seed: 1)
        var sender = try RTPStreamSender(
            RTPStreamSettings(payloadType: PayloadType(96), canonicalName: "rill", using: &generator))
        for index in 0..<count {
            guard case .frame(var frame) = try source.next() else { throw WrongUse("the clip has no 10 seconds") }
            frame.captureTime = layer.frameRate.time(ofFrame: index)
            try encoder.encode(frame) { coded, bytes in
                try file.consume(coded, payload: bytes)
                sender.send(coded, payload: bytes, at: coded.captureTime, to: packets)
            }
        }
        try file.finish()
        try capture.finish()
    }

    /// Simulates so many hours of it without codecs; prints datagrams, frames shown, and the seconds that it took.
    static func run(hours: Int, network: String, in folder: String) throws {
        let clip = try CodedLayer(of: layer, ivf: folder + "/hd.ivf").repeated(360 * hours)
        let observer = Counter()
        let simulation = CallSimulation(
            CallSettings(layers: [layer], network: try LinkSettings(notation: network)), observer: observer)
        let begin = ContinuousClock.now
        try simulation.run(sending: [clip])
        let cost = ContinuousClock.now - begin
        let duration = Double(cost.components.seconds) + Double(cost.components.attoseconds) / 1e18
        print(observer.datagrams, clip.count, observer.shown, duration)
    }

    private final class Counter: CallObserver {
        var datagrams = 0
        var shown = 0

        func callBegan(streams: [RTPStreamSettings]) {}
        func frameWasSent(layer: Int, timestamp: RTPTimestamp, captureTime: MediaTime, at now: MediaTime) {}
        func datagramWasSent(
            _ datagram: Span<UInt8>, _ direction: LinkDirection, at now: MediaTime, _ outcome: SendOutcome
        ) { datagrams += 1 }
        func datagramArrived(_ datagram: Span<UInt8>, _ direction: LinkDirection, at now: MediaTime) {}
        func frameWasShown(layer: Int, timestamp: RTPTimestamp, at now: MediaTime) { shown += 1 }
        func keyFrameWasRequested(layer: Int, at now: MediaTime) {}
    }
}
