import RillCore

/// Measures what the path carries from packet trains.
///
/// A frame's packets leave faster than the path carries them. The bottleneck then stretches the train: the bytes of the train over the
/// time in which it arrived are the capacity. A train that arrives as it left says only that the capacity is at least that high.
///
/// A missing packet ends a train, and the next one that arrived begins another: whether the path carried it in the time between them is not
/// known.
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
        /// That of no packet while there is no train.
        var number = Int64.min
        var count = 0
        var firstSend = MediaTime.zero
        var lastSend = MediaTime.zero
        var firstArrival = MediaTime.zero
        var lastArrival = MediaTime.zero
        /// Without the first packet: the train's span begins when that has arrived.
        var byteCount: Int64 = 0

        /// The time in which it left, and in which it arrived, in nanoseconds.
        var sent: Int64 { lastSend.nanoseconds &- firstSend.nanoseconds }
        var arrived: Int64 { lastArrival.nanoseconds &- firstArrival.nanoseconds }
    }

    /// What is summed up over trains. Differences of sums are exact, even if the sums overflow.
    private struct Sums: BitwiseCopyable, Sendable {
        var (gaps, byteCount): (Int64, Int64) = (0, 0)
        /// The time in which they left, and in which they arrived, in nanoseconds: by their last packets, so that the scatter of arrivals
        /// cancels in a sum.
        var (sent, arrived): (Int64, Int64) = (0, 0)
        /// Squares and products of arrival times, in steps of 1024 ns, and of bytes.
        var (squares, products, byteSquares): (Int64, Int64, Int64) = (0, 0, 0)

        @inline(__always)
        mutating func add(_ train: Train) {
            let arrival = train.arrived
            let steps = (arrival &+ 512) >> 10
            gaps &+= Int64(train.count) &- 1
            byteCount &+= train.byteCount
            sent &+= train.sent
            arrived &+= arrival
            squares &+= steps &* steps
            products &+= steps &* train.byteCount
            byteSquares &+= train.byteCount &* train.byteCount
        }

        @inline(__always)
        static func - (a: Sums, b: Sums) -> Sums {
            Sums(
                gaps: a.gaps &- b.gaps, byteCount: a.byteCount &- b.byteCount, sent: a.sent &- b.sent,
                arrived: a.arrived &- b.arrived, squares: a.squares &- b.squares, products: a.products &- b.products,
                byteSquares: a.byteSquares &- b.byteSquares)
        }

        var bits: Double { 8 * Double(byteCount) }
        var sendSeconds: Double { Double(sent) / 1e9 }
        var arrivalSeconds: Double { Double(arrived) / 1e9 }

        /// The scatter of the trains' times around what their bytes take at the pooled rate, over their sum.
        var error: Double {
            guard byteCount > 0, arrived > 0 else { return .infinity }
            let steps = Double(arrived) / 1024
            let perByte = steps / Double(byteCount)
            let square = Double(squares) - 2 * perByte * Double(products) + perByte * perByte * Double(byteSquares)
            return max(square, 0).squareRoot() / steps
        }
    }

    /// A train that has arrived.
    private struct Sample: BitwiseCopyable, Sendable {
        var end = MediaTime.zero
        /// The sums over all trains before it.
        var before = Sums()
    }

    /// The newest trains, as many as arrived within a time.
    private struct Pool: Sendable {
        let length: Int64
        /// The number of the first one.
        var first = 0

        /// Leaves out what is too old at a time.
        @inline(__always)
        mutating func advance(in samples: Ring<Sample>, to end: MediaTime) {
            first = max(first, samples.first)
            while first < samples.end &- 1, end.nanoseconds &- samples[first].end.nanoseconds > length { first &+= 1 }
        }
    }

    /// The relative error of the pooled time up to which more trains are taken.
    private static let tolerance = 0.12
    /// The relative error above which trains say nothing.
    private static let limit = 0.22
    /// One train of more packets than that is enough.
    private static let longTrain = 6
    /// How long trains count, in nanoseconds.
    private static let memory: Int64 = 4_000_000_000
    /// More trains than four seconds have at 60 frames a second.
    private static let sampleCount = 256

    private var open = Train()
    private var samples = Ring(capacity: CapacityMeter.sampleCount, filler: Sample())
    /// The sums over all trains.
    private var total = Sums()
    /// When the last packet of a train arrived.
    private var latest = MediaTime(nanoseconds: .min)
    /// When the newest train that counts began to leave.
    private(set) var newest = MediaTime(nanoseconds: .min)
    private var pools: InlineArray<4, Pool> = [
        Pool(length: 700_000_000), Pool(length: 1_400_000_000), Pool(length: 2_800_000_000),
        Pool(length: CapacityMeter.memory),
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
        if open.number == Int64(packet.train), packet.sendTime >= open.lastSend, !packet.followsMissing {
            open.lastSend = packet.sendTime
            open.lastArrival = arrival
            open.byteCount &+= Int64(packet.byteCount)
            open.count &+= 1
            return true
        }
        close()
        open = Train(
            number: Int64(packet.train), count: 1, firstSend: packet.sendTime, lastSend: packet.sendTime,
            firstArrival: arrival, lastArrival: arrival)
        return false
    }

    /// Takes a train that goes on for what it is, if it is long enough to be one by itself.
    mutating func closeIfLong() {
        guard open.count > CapacityMeter.longTrain else { return }
        close()
        open = Train()
    }

    /// Forgets all trains, as after a cut.
    ///
    /// - Parameter capacity: what the path is known to carry from something else, in bits per second.
    mutating func reset(to capacity: Double? = nil) {
        forget()
        (open, latest) = (Train(), MediaTime(nanoseconds: .min))
        reading = capacity.map { .capacity($0) } ?? .unknown
    }

    private mutating func forget() {
        (burst, reading) = (nil, .unknown)
        samples.removeAll()
    }

    @inline(never)
    private mutating func close() {
        guard open.count >= 2 else { return }
        // What was known before a long rest may be long gone.
        if samples.count > 0, open.lastArrival.nanoseconds &- latest.nanoseconds > CapacityMeter.memory { forget() }
        newest = open.firstSend
        updateBurst(open)
        samples.append(Sample(end: open.lastArrival, before: total))
        total.add(open)
        latest = max(latest, open.lastArrival)
        updateReading()
    }

    /// Remembers a long train that arrived as it left: no pool may hide it.
    private mutating func updateBurst(_ train: Train) {
        let (sent, arrived) = (Double(train.sent) / 1e9, Double(train.arrived) / 1e9)
        if let burst, train.lastArrival.nanoseconds &- burst.end.nanoseconds > 1_000_000_000 { self.burst = nil }
        if !trustsBursts || arrived > 1.12 * sent + 0.001 {
            burst = nil
        } else if train.count > 4, sent > 0.0005 {
            let rate = 8 * Double(train.byteCount) / max(arrived, sent)
            if rate > burst?.rate ?? 0 { burst = (rate, train.lastArrival) }
        }
    }

    /// The sums over a pool. One that is not looked at is not moved on.
    @inline(__always)
    private mutating func pooled(_ place: Int) -> Sums {
        pools[place].advance(in: samples, to: latest)
        return total - samples[pools[place].first].before
    }

    private mutating func updateReading() {
        var place = 0
        var sums = pooled(0)
        var error = sums.error
        while !(error < CapacityMeter.tolerance), place < pools.count - 1 {
            place += 1
            sums = pooled(place)
            error = sums.error
        }
        let (bits, sent, arrived) = (sums.bits, sums.sendSeconds, sums.arrivalSeconds)
        let count = samples.end - pools[place].first
        guard bits > 0, arrived > 0.004 else { return }
        let isStretched = arrived > 1.12 * sent + 0.001
        // One or two short trains may have met anything.
        if isStretched, count < 3, sums.gaps < CapacityMeter.longTrain { return }
        guard count < 3 || error < CapacityMeter.limit else {
            reading = burst.map { .atLeast($0.rate) } ?? .unknown
            return
        }
        let arrivalRate = bits / arrived
        if isStretched {
            reading = .capacity(arrivalRate)
            return
        }
        let seen = max(bits / max(arrived, sent), burst?.rate ?? 0)
        // Trains that left no faster than the known capacity cannot contradict it, but those that arrived more slowly do.
        if case .capacity(let known) = reading, seen < 1.05 * known {
            if bits > known * sent, arrivalRate < known { reading = .capacity(arrivalRate) }
        } else {
            reading = .atLeast(seen)
        }
    }
}
