import Rill
import RillImage
import RillLab

/// The results of a call, one line of JSON. Times are in milliseconds unless their name has another unit.
struct CongestionResult: Codable {
    var name: String
    var seed: UInt64
    var windows: [Window] = []
    /// The seconds until 90 % of a risen capacity was used, without padding; -1 if it never was.
    var rises: [Double] = []
    /// The longest wait in the two seconds after a rise.
    var waitsWhileRising: [Double] = []
    var drops: [Drop] = []
    /// Over the whole call: each purpose's share of the bytes.
    var paddingShare = 0.0
    var retransmissionShare = 0.0
    /// Of retransmissions of what arrives anyway: probes among them, and mistakes.
    var needlessShare = 0.0
    /// Of further retransmissions of what was lost.
    var doubledShare = 0.0
    var low = LayerFigures()
    var high = LayerFigures()

    struct Window: Codable {
        var from: Int
        var to: Int
        var utilization = 0.0
        var payload = 0.0
        var waitMean = 0.0
        /// Without the second after each cut of the clip, and with it.
        var wait95 = 0.0
        var wait95WithCuts = 0.0
        /// Capture to the end of the last packet's transmission.
        var sent95 = 0.0
        var sent95WithCuts = 0.0
        /// Capture to the arrival of the last packet that a shown picture needs, those of the pictures before it
        /// included.
        var decodable95 = 0.0
        /// Capture to showing.
        var shown95 = 0.0
        /// Pictures a second.
        var highRate = 0.0
        var lowRate = 0.0
        var freezes = 0
        /// The high layer's payload, in bits per second.
        var highBitrate = 0
        /// The high layer's luma and that of the encoder alone at the same bitrate, in dB; 0 where it is not measured.
        var psnr = 0.0
        var psnrAlone = 0.0
    }

    struct Drop: Codable {
        /// The seconds until the estimate was first cut.
        var firstCut = -1.0
        /// The seconds until the estimate was first below 110 % of the new capacity.
        var estimateBelow = -1.0
        /// The seconds until the wait was below 100 ms for a second.
        var drained = -1.0
        /// Of ten seconds' packets.
        var lost = 0.0
        /// In ten seconds, in seconds.
        var frozen = 0.0
        /// The seconds until payload was at 0.75 of the capacity again, over a second.
        var payloadBack = -1.0
    }

    struct LayerFigures: Codable {
        var frames = 0
        var shown = 0
    }

    init(_ trial: CongestionCase, seed: UInt64) { (name, self.seed) = (trial.name, seed) }
}

extension CongestionLog {
    func result(_ trial: CongestionCase, seed: UInt64) -> CongestionResult {
        var result = CongestionResult(trial, seed: seed)
        result.windows = trial.windows.map(window)
        for step in trial.rises {
            result.rises.append(riseTime(step))
            let waits = packets(from: Double(step.at), to: Double(step.at) + 4).compactMap(\.wait?.milliseconds)
            result.waitsWhileRising.append(waits.max() ?? 0)
        }
        result.drops = trial.drops.map(drop)
        let all = Double(packets.reduce(0) { $0 + $1.byteCount })
        func share(_ purpose: Purpose) -> Double {
            Double(packets.reduce(0) { $0 + ($1.purpose == purpose ? $1.byteCount : 0) }) / all
        }
        (result.paddingShare, result.retransmissionShare) = (share(.padding), share(.retransmission))
        (result.needlessShare, result.doubledShare) = (share(.needless), share(.doubled))
        let figures = layers.map { CongestionResult.LayerFigures(frames: $0.frames.count, shown: $0.shown.count) }
        (result.high, result.low) = (figures[0], figures[1])
        return result
    }

    // MARK: Windows

    private func packets(from: Double, to: Double) -> [Packet] {
        packets.filter { $0.time.seconds >= from && $0.time.seconds < to }
    }

    /// The bytes that the queue took.
    func acceptedBytes(from: Double, to: Double) -> Int {
        packets(from: from, to: to).reduce(0) { $0 + ($1.wait == nil ? 0 : $1.byteCount) }
    }

    /// The waits in the queue, in milliseconds.
    func waits(from: Double, to: Double) -> [(time: MediaTime, wait: Double)] {
        packets(from: from, to: to).compactMap { packet in packet.wait.map { (packet.time, $0.milliseconds) } }
    }

    private func window(_ window: CongestionCase.Window) -> CongestionResult.Window {
        var result = CongestionResult.Window(from: window.from, to: window.to)
        let (from, to) = (Double(window.from), Double(window.to))
        let bits = window.capacity * (to - from)
        result.utilization = Double(acceptedBytes(from: from, to: to) * 8) / bits
        let waits = waits(from: from, to: to)
        result.waitMean = waits.reduce(0) { $0 + $1.wait } / Double(max(1, waits.count))
        result.wait95 = percentile(95, of: waits.filter { !isNearCut($0.time) }.map(\.wait))
        result.wait95WithCuts = percentile(95, of: waits.map(\.wait))
        let frames = layers.flatMap(\.frames).filter { $0.captureTime.seconds >= from && $0.captureTime.seconds < to }
        let ends = frames.compactMap { frame -> (MediaTime, Double)? in
            let departures = frame.packets.compactMap { packets[$0].departure }
            guard departures.count == frame.packets.count, let last = departures.max() else { return nil }
            return (frame.captureTime, (last - frame.captureTime).milliseconds)
        }
        result.sent95 = percentile(95, of: ends.filter { !isNearCut($0.0) }.map(\.1))
        result.sent95WithCuts = percentile(95, of: ends.map(\.1))
        result.decodable95 = percentile(95, of: layers.flatMap { decodableTimes($0, from: from, to: to) })
        result.shown95 = percentile(
            95, of: frames.compactMap { frame in frame.shownAt.map { ($0 - frame.captureTime).milliseconds } })
        result.payload = Double(frames.reduce(0) { $0 + ($1.shownAt == nil ? 0 : $1.byteCount * 8) }) / bits
        let shown = layers.map { layer in
            Double(layer.shown.count { $0.seconds >= from && $0.seconds < to }) / (to - from)
        }
        (result.highRate, result.lowRate) = (shown[0], shown[1])
        let high = layers[0].frames.filter { $0.captureTime.seconds >= from && $0.captureTime.seconds < to }
        result.highBitrate = Int(Double(high.reduce(0) { $0 + $1.byteCount * 8 }) / (to - from))
        let errors = errors.filter { $0.time.seconds >= from && $0.time.seconds < to }.map(\.error)
        if !errors.isEmpty {
            result.psnr = PictureDifference.psnr(ofMeanSquaredError: errors.reduce(0, +) / Double(errors.count))
        }
        result.freezes = freezes(from: from, to: to).count
        return result
    }

    /// From the capture of each shown frame until it could be decoded, in milliseconds.
    private func decodableTimes(_ layer: Layer, from: Double, to: Double) -> [Double] {
        var (times, latest) = ([Double](), MediaTime.zero)
        for frame in layer.frames where frame.shownAt != nil {
            let arrivals = frame.packets.compactMap { packets[$0].arrival }
            guard arrivals.count == frame.packets.count, let last = arrivals.max() else { continue }
            latest = max(latest, last)
            let time = frame.captureTime.seconds
            if time >= from, time < to { times.append((latest - frame.captureTime).milliseconds) }
        }
        return times
    }

    /// The gaps between pictures of the high layer that count as freezes: above max(3 x average, average + 150 ms).
    private func freezes(from: Double, to: Double) -> [Double] {
        let times = layers[0].shown.map(\.seconds).filter { $0 >= from && $0 < to }
        guard times.count > 2 else { return [to - from] }
        let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
        let average = (times[times.count - 1] - times[0]) / Double(gaps.count)
        return gaps.filter { $0 > max(3 * average, average + 0.15) }
    }

    func percentile(_ share: Int, of values: [Double]) -> Double {
        guard !values.isEmpty else { return 0 }
        return values.sorted()[min(values.count - 1, values.count * share / 100)]
    }

    // MARK: Steps

    /// The seconds until half a second's media bytes reach 90 % of the capacity.
    private func riseTime(_ step: CongestionCase.Step) -> Double {
        let media = packets.filter { $0.time.seconds >= Double(step.at) && $0.purpose != .padding && $0.wait != nil }
        var (first, bytes) = (0, 0)
        for (index, packet) in media.enumerated() {
            bytes += packet.byteCount
            while packet.time - media[first].time > .milliseconds(500) {
                bytes -= media[first].byteCount
                first += 1
            }
            guard packet.time.seconds - Double(step.at) > 0.5 || index > 0 else { continue }
            if Double(bytes * 8) / 0.5 >= 0.9 * step.capacity { return packet.time.seconds - Double(step.at) }
        }
        return -1
    }

    private func drop(_ step: CongestionCase.Step) -> CongestionResult.Drop {
        var result = CongestionResult.Drop()
        let start = Double(step.at)
        let before = rates.last { $0.time.seconds < start }?.rate ?? 0
        if let cut = rates.first(where: { $0.time.seconds >= start && Double($0.rate) < 0.9 * Double(before) }) {
            result.firstCut = cut.time.seconds - start
        }
        if let low = rates.first(where: { $0.time.seconds >= start && Double($0.rate) < 1.1 * step.capacity }) {
            result.estimateBelow = low.time.seconds - start
        }
        let sent = packets(from: start, to: start + 10)
        result.lost = Double(sent.count { $0.wait == nil }) / Double(max(1, sent.count))
        // The last time of a longer wait, in the first period that is followed by a second without one.
        var last = start
        for packet in sent {
            if packet.time.seconds - last > 1 { break }
            if packet.wait.map({ $0.milliseconds >= 100 }) ?? true { last = packet.time.seconds }
        }
        result.drained = last - start
        let gaps = freezes(from: start - 1, to: start + 10)
        result.frozen = gaps.reduce(0, +)
        let frames = layers.flatMap(\.frames).filter { $0.shownAt != nil }
        for tenth in 0..<200 {
            let from = start + Double(tenth) / 10
            let bits = frames.reduce(0.0) { sum, frame in
                let time = frame.captureTime.seconds
                return sum + (time >= from && time < from + 1 ? Double(frame.byteCount * 8) : 0)
            }
            if bits >= 0.75 * step.capacity, tenth >= 5 {
                result.payloadBack = Double(tenth) / 10 + 1
                break
            }
        }
        return result
    }
}
