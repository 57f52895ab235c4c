import Rill
import RillLab
import RillLink
import RillRTP
import RillSend
import RillSession

/// A call of hours: it repeats ten seconds at full size, which `workload prepare` encodes.
enum LongCall {
    static let layer = LayerSettings.high(.hd720, bitrate: .kilobits(1500))

    /// Simulates the hours without codecs; prints the datagrams, the shown frames, and the duration in seconds.
    ///
    /// - Parameters:
    ///   - hours: how long the call is.
    ///   - network: the network in both directions.
    ///   - folder: where the encoded clip is.
    ///   - isPaced: whether congestion control runs, and packets wait in its pacer.
    static func run(hours: Int, network: String, in folder: String, isPaced: Bool) throws {
        let clip = try CodedLayer(of: layer, ivf: folder + "/hd.ivf").repeated(360 * hours)
        let observer = Counter()
        var settings = CallSettings(layers: [layer], network: try LinkSettings(notation: network))
        settings.congestion = isPaced ? CongestionSettings() : nil
        let simulation = CallSimulation(settings, observer: observer)
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
