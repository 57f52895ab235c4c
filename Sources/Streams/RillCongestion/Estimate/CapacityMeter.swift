import RillCore

/// Measures the capacity by packet-train dispersion.
///
/// The packets of a frame leave faster than the bottleneck carries them. It disperses the train: the train's bytes
/// over its arrival span are the capacity (Keshav's packet pair, generalized to trains; see also Dovrolis et al.,
/// "Packet-dispersion techniques and a capacity-estimation methodology"). A train that arrives as it left is not
/// dispersed, and bounds the capacity from below.
///
/// A missing packet ends the train, and the next arrival starts another one. Nobody knows whether the bottleneck
/// carried the missing packet in between.
///
/// Jitter exceeds the dispersion of a single train. So trains are pooled over one of four windows: the shortest whose
/// relative error is small enough, or the longest.
struct CapacityMeter: Sendable {
    /// The result of the pooled trains.
    enum Reading: Equatable, Sendable {
        /// No result yet.
        case unknown
        /// The bottleneck dispersed the trains: the capacity, in bits per second.
        case capacity(Double)
        /// The trains were not dispersed: a lower bound of the capacity, in bits per second.
        case atLeast(Double)
    }

    private struct Train: Sendable {
        /// The train's number; the smallest integer while there is no train.
        var number = Int64.min
        var count = 0
        var firstSend = MediaTime.zero
        var lastSend = MediaTime.zero
        var firstArrival = MediaTime.zero
        var lastArrival = MediaTime.zero
        /// The bytes without the first packet: the arrival span starts when that has arrived.
        var byteCount: Int64 = 0

        /// The send span and the arrival span, in nanoseconds.
        var sent: Int64 { lastSend.nanoseconds &- firstSend.nanoseconds }
        var arrived: Int64 { lastArrival.nanoseconds &- firstArrival.nanoseconds }
    }

    /// Running sums over all trains. A difference of two is exact, even if the sums overflow.
    private struct Sums: BitwiseCopyable, Sendable {
        var (gaps, byteCount): (Int64, Int64) = (0, 0)
        /// The spans from first to last packet, in nanoseconds. The jitter of arrivals cancels in a sum.
        var (sent, arrived): (Int64, Int64) = (0, 0)
        /// Squares and products of arrival spans (in units of 1024 ns) and bytes, for the error of a least-squares
        /// fit.
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

        /// The relative error of the pooled span: the residuals of the trains' spans at the pooled rate, over the
        /// span.
        var error: Double {
            guard byteCount > 0, arrived > 0 else { return .infinity }
            let steps = Double(arrived) / 1024
            let perByte = steps / Double(byteCount)
            let square = Double(squares) - 2 * perByte * Double(products) + perByte * perByte * Double(byteSquares)
            return max(square, 0).squareRoot() / steps
        }
    }

    /// A completed train.
    private struct Sample: BitwiseCopyable, Sendable {
        var end = MediaTime.zero
        /// The sums over all trains before it.
        var before = Sums()
    }

    /// A window over the newest trains, by arrival time.
    private struct Pool: Sendable {
        let length: Int64
        /// The index of its first train.
        var first = 0

        /// Removes the trains that are too old at a time.
        @inline(__always)
        mutating func advance(in samples: Ring<Sample>, to end: MediaTime) {
            first = max(first, samples.first)
            while first < samples.end &- 1, end.nanoseconds &- samples[first].end.nanoseconds > length { first &+= 1 }
        }
    }

    /// A window with a smaller relative error is used. A larger error asks for the next longer window. At 12 %, a
    /// step of the capacity shows within 0.7 s where jitter is low.
    private static let tolerance = 0.12
    /// A pool with a larger relative error measures nothing.
    private static let limit = 0.22
    /// A train with more packets than this counts by itself.
    private static let longTrain = 6
    /// The longest window, in nanoseconds.
    private static let memory: Int64 = 4_000_000_000
    /// Four seconds hold 240 trains at 60 frames a second.
    private static let sampleCount = 256

    private var open = Train()
    private var samples = Ring(capacity: CapacityMeter.sampleCount, filler: Sample())
    /// The sums over all trains.
    private var total = Sums()
    /// The arrival time of the newest packet in a train.
    private var latest = MediaTime(nanoseconds: .min)
    /// The send time of the first packet in the newest train.
    private(set) var newest = MediaTime(nanoseconds: .min)
    private var pools: InlineArray<4, Pool> = [
        Pool(length: 700_000_000), Pool(length: 1_400_000_000), Pool(length: 2_800_000_000),
        Pool(length: CapacityMeter.memory),
    ]

    /// The fastest long train of the last second that was not dispersed, in bits per second, and its arrival time.
    private var burst: (rate: Double, end: MediaTime)?

    /// Whether a single train may raise the result. Jitter and cross traffic can make one look fast, so it may not
    /// then.
    var trustsBursts = true

    private(set) var reading = Reading.unknown
    /// Whether other flows share the capacity.
    private(set) var mode = CapacityMode()

    /// Adds a packet that arrived. Packets come in the order of sending.
    ///
    /// - Returns: whether it continues a train.
    @discardableResult @inline(__always)
    mutating func add(_ packet: PacketRecord, arrival: MediaTime) -> Bool {
        if open.number == Int64(packet.train), packet.sendTime >= open.lastSend, !packet.followsMissing {
            mode.add(packet, arrival: arrival)
            open.lastSend = packet.sendTime
            open.lastArrival = arrival
            open.byteCount &+= Int64(packet.byteCount)
            open.count &+= 1
            return true
        }
        close()
        mode.begin(packet, arrival: arrival)
        open = Train(
            number: Int64(packet.train), count: 1, firstSend: packet.sendTime, lastSend: packet.sendTime,
            firstArrival: arrival, lastArrival: arrival)
        return false
    }

    /// Completes the open train early, if it is long enough to count by itself.
    mutating func closeIfLong() {
        guard open.count > CapacityMeter.longTrain else { return }
        close()
        open = Train()
    }

    /// Forgets all trains, for example after a cut.
    ///
    /// - Parameter capacity: the capacity that another measurement found, in bits per second; `nil` if it is unknown.
    mutating func reset(to capacity: Double? = nil) {
        forget()
        (open, latest) = (Train(), MediaTime(nanoseconds: .min))
        reading = capacity.map { .capacity($0) } ?? .unknown
        // The capacity may be another one.
        if capacity != nil { mode = CapacityMode() }
    }

    private mutating func forget() {
        (burst, reading) = (nil, .unknown)
        samples.removeAll()
    }

    @inline(never)
    private mutating func close() {
        guard open.count >= 2 else { return }
        // After a long idle period, the old trains may not describe the path any more.
        if samples.count > 0, open.lastArrival.nanoseconds &- latest.nanoseconds > CapacityMeter.memory { forget() }
        newest = open.firstSend
        updateBurst(open)
        samples.append(Sample(end: open.lastArrival, before: total))
        total.add(open)
        latest = max(latest, open.lastArrival)
        updateReading()
    }

    /// Remembers a long train that was not dispersed. Dispersed trains in the same pool must not hide it.
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

    /// The sums over a window. Windows that are not read are not advanced.
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
        // One or two short trains may have been delayed by anything.
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
        // Trains that left below the known capacity cannot raise it. They still lower it if they arrived more slowly.
        if case .capacity(let known) = reading, seen < 1.05 * known {
            if bits > known * sent, arrivalRate < known { reading = .capacity(arrivalRate) }
        } else {
            reading = .atLeast(seen)
        }
    }
}

/// The variability of the measured capacity: low for a wired link or a fair share, high for a radio link.
struct CapacityScatter: Sendable {
    /// The moving average in bits per second; 0 before the first measurement. It follows slow changes, such as those
    /// of a fair share.
    private var mean = 0.0
    /// The mean absolute deviation from the average, relative to it.
    private var deviation = 0.0
    private var last: MediaTime?

    /// The time constants of both, in seconds.
    private static let times = (mean: 1.0, deviation: 4.0)
    /// The measurements of a constant capacity deviate by a few percent, those of a radio link by about a third.
    private static let limit = 0.15
    /// Radio links seldom stay below this for seconds.
    private static let constant = 0.06

    /// Whether the capacity has been constant for some seconds.
    var isSteady: Bool { deviation < CapacityScatter.limit }
    /// The same, so exactly that it is hardly a radio link.
    var isConstant: Bool { deviation < CapacityScatter.constant }

    /// Adds a measurement of the capacity, in bits per second.
    mutating func add(_ capacity: Double, at now: MediaTime) {
        let elapsed = last.map { min((now - $0).seconds, 1) } ?? 0
        last = now
        guard mean > 0 else {
            mean = capacity
            return
        }
        let distance = abs(capacity - mean) / mean
        deviation += (distance - deviation) * elapsed / (elapsed + CapacityScatter.times.deviation)
        mean += (capacity - mean) * elapsed / (elapsed + CapacityScatter.times.mean)
    }
}
