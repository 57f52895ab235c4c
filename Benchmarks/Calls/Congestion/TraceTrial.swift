import Arguments
import Rill
import RillCodec
import RillCore
import RillImage
import RillLab
import RillLink
import RillReceive

/// A call with encoders and decoders over a part of a recorded trace, in virtual time.
enum TraceTrial {
    /// The bottleneck's queue, that of the measurements beside Chromium.
    private static let queue = QueueLimit.bytes(150_000)
    private static let delay = MediaDuration.milliseconds(50)
    private static let headerByteCount = 28

    /// Makes a call, and prints a line of JSON.
    static func run(_ arguments: Arguments) throws {
        let (path, from) = (try arguments["clip"], try arguments.number("from", atLeast: 0) ?? 0)
        let (seed, seconds) = (
            UInt64(try arguments.number("seed") ?? 1), try arguments.number("seconds", atLeast: 4) ?? 60
        )
        let trace = try DeliveryTrace(contentsOf: try arguments["trace"]).starting(at: from)
        var random = SeededGenerator(seed: seed)
        let phase = MediaDuration.microseconds(Int.random(in: 0..<33_333, using: &random))
        let skipped = Int.random(in: 0..<150, using: &random)
        func clip() throws -> LoopedClip {
            try LoopedClip(path: path, seconds: seconds, phase: phase, skipping: skipped)
        }
        let source = try clip()
        let layers = CongestionTrial.layers(of: source)
        let network = try LinkSettings(
            delay: delay, trace: trace, queueLimit: queue, headerByteCount: headerByteCount, seed: seed)
        var settings = CallSettings(layers: layers, network: network)
        settings.returnNetwork = try LinkSettings(notation: "rate=10M,headers=28,delay=50ms").seeded(seed + 1000)
        settings.congestion = CongestionTrial.congestion
        settings.encodeTime = .milliseconds(10)
        settings.decodeTime = .milliseconds(5)
        let log = CongestionLog(cuts: try ClipCuts(path: path))
        let references = try References(try clip(), of: layers[0])
        let scaler = try LayerScaler(layers[0].resolution, aspect: layers[0].aspect, capacity: 2)
        try CallSimulation(settings, observer: log).run(encoding: source) { layer, _, picture in
            // The receiver's times begin elsewhere.
            guard layer == 0, let time = log.layers[0].newestShown, let shown = scaler.fitted(picture) else { return }
            log.noteError(try references.error(of: shown, capturedAt: time), at: time)
        }
        let capacity = trace.meanRate(over: .zero..<(.zero + .seconds(seconds)))
        try CongestionTrial.print(TraceResult(log, capacity: capacity, seconds: seconds, seed: seed))
    }
}

/// The results of a call over a trace, one line of JSON. Times are in milliseconds unless their name has another unit.
struct TraceResult: Codable {
    var seed: UInt64
    /// In bits per second: what the link could carry, and what it carried with all headers.
    var capacity: Int
    var carried: Int
    var waitMean: Double
    var wait95: Double
    /// The share of packets that the queue dropped.
    var lost: Double
    /// The high layer's pictures by the rules of W3C's freezeCount and totalFreezesDuration.
    var freezes: Int
    var frozenSeconds: Double
    /// The frames that were decoded and shown, and those that were sent.
    var shown: Int
    var sent: Int
    /// The luma of the pictures that were shown, in the layer's size.
    var psnr: Double

    init(_ log: CongestionLog, capacity: Bitrate, seconds: Int, seed: UInt64) {
        let length = Double(seconds)
        (self.seed, self.capacity) = (seed, capacity.bitsPerSecond)
        carried = Int(Double(8 * log.acceptedBytes(from: 0, to: length)) / length)
        let waits = log.waits(from: 0, to: length).map(\.wait)
        waitMean = waits.reduce(0, +) / Double(max(1, waits.count))
        wait95 = log.percentile(95, of: waits)
        let packets = log.packets.filter { $0.time.seconds < length }
        lost = Double(packets.count { $0.wait == nil }) / Double(max(1, packets.count))
        var meter = FreezeMeter()
        for time in log.layers[0].shown { meter.shown(at: time) }
        (freezes, shown) = (meter.statistics.freezeCount, log.layers[0].shown.count)
        frozenSeconds = meter.statistics.totalFreezesDuration.seconds
        sent = log.layers[0].frames.count
        let errors = log.errors.map(\.error)
        psnr = PictureDifference.psnr(ofMeanSquaredError: errors.reduce(0, +) / Double(max(1, errors.count)))
    }
}

extension DeliveryTrace {
    /// The same trace, played from a second on; its beginning follows its end.
    fileprivate func starting(at second: Int) throws -> DeliveryTrace {
        let start = UInt32(clamping: 1000 * second)
        guard let last = milliseconds.last, start < last else { throw WrongUse("the trace ends before \(second) s") }
        let first = milliseconds.firstIndex { $0 > start } ?? 0
        let rest = milliseconds[..<first].map { $0 + (last - start) }
        return try DeliveryTrace(milliseconds: milliseconds[first...].map { $0 - start } + rest, name: name)
    }
}
