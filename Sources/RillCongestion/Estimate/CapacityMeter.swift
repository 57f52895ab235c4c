import RillCore

/// Measures what the path carries from packet trains.
///
/// A frame's packets leave faster than the path carries them. The bottleneck then stretches the train: the bytes of the train over the
/// time in which it arrived are the capacity. A train that arrives as it left says only that the capacity is at least that high.
///
/// Single trains are small and jitter is not, so trains are pooled: over the shortest of four windows in which their scatter is small
/// enough, or over the longest.
struct CapacityMeter: Sendable {
    /// What trains say.
    enum Reading: Equatable, Sendable {
        /// Nothing yet.
        case unknown
        /// The bottleneck stretched the trains: the capacity, in bits per second.
        case capacity(Double)
        /// The trains arrived as they left, at this rate.
        case atLeast(Double)
    }

    private struct Train: Sendable {
        var number: Int32 = 0
        /// 0 while there is no train.
        var count: Int32 = 0
        var firstSend = MediaTime.zero
        var lastSend = MediaTime.zero
        var firstArrival = MediaTime.zero
        var lastArrival = MediaTime.zero
        /// Without the first packet: the train's span begins when that has arrived.
        var byteCount = 0
    }

    private struct Sample: Sendable {
        var end = MediaTime.zero
        var bits = 0.0
        var gaps = 0
        /// The time in which it left, and in which it arrived: by its last packet, so that the scatter of arrivals cancels in a sum.
        var sendSeconds = 0.0
        var arrivalSeconds = 0.0
    }

    /// The sums over the samples of one window.
    private struct Pool: Sendable {
        let length: MediaDuration
        /// The samples in it, from the newest back.
        var count = 0
        private(set) var gaps = 0
        private(set) var bits = 0.0
        private(set) var sent = 0.0
        private(set) var arrived = 0.0
        private var squares = 0.0
        private var products = 0.0
        private var bitSquares = 0.0

        init(length: MediaDuration) { self.length = length }

        @inline(__always)
        mutating func add(_ sample: Sample) {
            count &+= 1
            gaps &+= sample.gaps
            bits += sample.bits
            sent += sample.sendSeconds
            arrived += sample.arrivalSeconds
            squares += sample.arrivalSeconds * sample.arrivalSeconds
            products += sample.arrivalSeconds * sample.bits
            bitSquares += sample.bits * sample.bits
        }

        @inline(__always)
        mutating func remove(_ sample: Sample) {
            count &-= 1
            gaps &-= sample.gaps
            bits -= sample.bits
            sent -= sample.sendSeconds
            arrived -= sample.arrivalSeconds
            squares -= sample.arrivalSeconds * sample.arrivalSeconds
            products -= sample.arrivalSeconds * sample.bits
            bitSquares -= sample.bits * sample.bits
        }

        /// The scatter of the trains' times around what their bytes take at the pooled rate, over their sum.
        var error: Double {
            guard bits > 0, arrived > 0 else { return .infinity }
            let perBit = arrived / bits
            return max(squares - 2 * perBit * products + perBit * perBit * bitSquares, 0).squareRoot() / arrived
        }
    }

    /// The relative error of the pooled time up to which more trains are taken.
    private static let tolerance = 0.12
    /// The relative error above which trains say nothing.
    private static let limit = 0.22
    /// More trains than four seconds have at 60 frames a second.
    private static let sampleCount = 256

    private var open = Train()
    private var samples = Ring(capacity: CapacityMeter.sampleCount, filler: Sample())
    private var pools: InlineArray<4, Pool> = [
        Pool(length: .milliseconds(700)), Pool(length: .milliseconds(1400)), Pool(length: .milliseconds(2800)),
        Pool(length: .milliseconds(4000)),
    ]

    /// The fastest long train of the last second that arrived as it left, in bits per second.
    private var burst: (rate: Double, end: MediaTime)?

    /// Whether single trains count: not where jitter or others may make one look fast.
    var trustsBursts = true

    private(set) var reading = Reading.unknown

    /// Adds a received packet, in the order of sending.
    ///
    /// - Returns: whether it belongs to a train of several packets.
    @discardableResult @inline(__always)
    mutating func add(_ packet: PacketRecord, arrival: MediaTime) -> Bool {
        if open.number == packet.train, open.count > 0, packet.sendTime >= open.lastSend {
            open.lastSend = packet.sendTime
            open.lastArrival = arrival
            open.byteCount &+= Int(packet.byteCount)
            open.count &+= 1
            return true
        }
        close()
        open = Train(
            number: packet.train, count: 1, firstSend: packet.sendTime, lastSend: packet.sendTime,
            firstArrival: arrival, lastArrival: arrival)
        return false
    }

    /// Counts a lost packet into its train: the path carried the others in the time that it would have taken, too.
    mutating func addLost(_ packet: PacketRecord) {
        if open.number == packet.train, open.count > 0 { open.byteCount += Int(packet.byteCount) }
    }

    /// Forgets all trains, as after a cut.
    ///
    /// - Parameter capacity: what the path is known to carry from something else, in bits per second.
    mutating func reset(to capacity: Double? = nil) {
        (open, burst, reading) = (Train(), nil, capacity.map { .capacity($0) } ?? .unknown)
        samples.removeAll()
        for index in pools.indices { pools[index] = Pool(length: pools[index].length) }
    }

    @inline(never)
    private mutating func close() {
        let train = open
        guard train.count >= 2 else { return }
        let sample = Sample(
            end: train.lastArrival, bits: Double(train.byteCount * 8), gaps: Int(train.count) - 1,
            sendSeconds: (train.lastSend - train.firstSend).seconds,
            arrivalSeconds: (train.lastArrival - train.firstArrival).seconds)
        // The ring forgets its oldest: no pool may hold it any more.
        for index in pools.indices where pools[index].count == samples.capacity { dropOldest(of: index) }
        note(sample)
        samples.append(sample)
        for index in pools.indices {
            pools[index].add(sample)
            while pools[index].count > 1,
                sample.end - samples[samples.count - pools[index].count].end > pools[index].length
            {
                dropOldest(of: index)
            }
        }
        judge()
    }

    /// Remembers a long train that arrived as it left: no pool may hide it.
    private mutating func note(_ sample: Sample) {
        if let burst, sample.end - burst.end > .seconds(1) { self.burst = nil }
        if !trustsBursts || sample.arrivalSeconds > 1.12 * sample.sendSeconds + 0.001 {
            burst = nil
        } else if sample.gaps >= 4, sample.sendSeconds > 0.0005 {
            let rate = sample.bits / max(sample.arrivalSeconds, sample.sendSeconds)
            if rate > burst?.rate ?? 0 { burst = (rate, sample.end) }
        }
    }

    @inline(__always)
    private mutating func dropOldest(of index: Int) {
        pools[index].remove(samples[samples.count - pools[index].count])
    }

    private mutating func judge() {
        var (place, error) = (0, pools[0].error)
        while !(error < CapacityMeter.tolerance), place < pools.count - 1 {
            place += 1
            error = pools[place].error
        }
        let chosen = pools[place]
        guard chosen.bits > 0, chosen.arrived > 0.004 else { return }
        let isStretched = chosen.arrived > 1.12 * chosen.sent + 0.001
        // One or two short trains may have met anything.
        if isStretched, chosen.count < 3, chosen.gaps < 6 { return }
        guard chosen.count < 3 || error < CapacityMeter.limit else {
            reading = burst.map { .atLeast($0.rate) } ?? .unknown
            return
        }
        let arrivalRate = chosen.bits / chosen.arrived
        if isStretched {
            reading = .capacity(arrivalRate)
            return
        }
        let seen = max(chosen.bits / max(chosen.arrived, chosen.sent), burst?.rate ?? 0)
        // Trains that left no faster than the known capacity cannot contradict it, but those that arrived more slowly do.
        if case .capacity(let known) = reading, seen < 1.05 * known {
            if chosen.bits > known * chosen.sent, arrivalRate < known { reading = .capacity(arrivalRate) }
        } else {
            reading = .atLeast(seen)
        }
    }
}
