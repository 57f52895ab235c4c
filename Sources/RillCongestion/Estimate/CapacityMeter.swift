import RillCore

/// Measures what the path carries from packet trains.
///
/// A frame's packets leave faster than the path carries them. The bottleneck then stretches the train: the bytes of the train over the
/// time in which it arrived are the capacity. A train that arrives as it left says only that the capacity is at least that high.
///
/// Single trains are small and jitter is not, so trains are pooled.
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
        var number: Int32
        var firstSend: MediaTime
        var lastSend: MediaTime
        var firstArrival: MediaTime
        var lastArrival: MediaTime
        /// Without the first packet: the train's span begins when that has arrived.
        var byteCount = 0
        var count = 1
    }

    private struct Sample: Sendable {
        var end: MediaTime
        var bits: Double
        /// The time in which it left, and in which it arrived: by its last packet, so that the scatter of arrivals cancels in a sum.
        var sendSeconds: Double
        var arrivalSeconds: Double
    }

    /// The shortest and the longest time that trains are pooled over.
    private static let windows = (MediaDuration.milliseconds(700), MediaDuration.seconds(4))
    /// The relative error of the pooled time up to which more trains are taken.
    private static let tolerance = 0.12
    /// The relative error above which trains say nothing.
    private static let limit = 0.22
    private var open: Train?
    private var samples: [Sample] = []

    private(set) var reading = Reading.unknown

    /// Adds a received packet, in the order of sending.
    mutating func add(_ packet: PacketRecord, arrival: MediaTime) {
        if var train = open, train.number == packet.train, packet.sendTime >= train.lastSend {
            train.lastSend = packet.sendTime
            train.lastArrival = arrival
            train.byteCount += Int(packet.byteCount)
            train.count += 1
            open = train
            return
        }
        close()
        open = Train(
            number: packet.train, firstSend: packet.sendTime, lastSend: packet.sendTime, firstArrival: arrival,
            lastArrival: arrival)
    }

    /// Counts a lost packet into its train: the path carried the others in the time that it would have taken, too.
    mutating func addLost(_ packet: PacketRecord) {
        if open?.number == packet.train { open?.byteCount += Int(packet.byteCount) }
    }

    /// Forgets everything, as after a cut.
    mutating func reset() { (open, samples, reading) = (nil, [], .unknown) }

    private mutating func close() {
        guard let train = open, train.count >= 2 else { return }
        samples.append(
            Sample(
                end: train.lastArrival, bits: Double(train.byteCount * 8),
                sendSeconds: (train.lastSend - train.firstSend).seconds,
                arrivalSeconds: (train.lastArrival - train.firstArrival).seconds))
        if let first = samples.first, train.lastArrival - first.end > CapacityMeter.windows.1 + .seconds(1) {
            samples.removeAll { train.lastArrival - $0.end > CapacityMeter.windows.1 }
        }
        pool(until: train.lastArrival)
    }

    /// Pools as many of the newest trains as the scatter of their arrivals asks for.
    private mutating func pool(until newest: MediaTime) {
        var (bits, sent, arrived, squares, products, bitSquares) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        /// The scatter of the trains' times around what their bytes take at the pooled rate, over their sum.
        var error: Double {
            let perBit = arrived / bits
            return max(squares - 2 * perBit * products + perBit * perBit * bitSquares, 0).squareRoot() / arrived
        }
        for sample in samples.reversed() {
            let age = newest - sample.end
            guard age <= CapacityMeter.windows.1 else { break }
            if age > CapacityMeter.windows.0, arrived > 0 {
                if error < CapacityMeter.tolerance { break }
            }
            bits += sample.bits
            sent += sample.sendSeconds
            arrived += sample.arrivalSeconds
            squares += sample.arrivalSeconds * sample.arrivalSeconds
            products += sample.arrivalSeconds * sample.bits
            bitSquares += sample.bits * sample.bits
        }
        guard bits > 0, arrived > 0.004 else { return }
        guard samples.count < 8 || error < CapacityMeter.limit else {
            reading = .unknown
            return
        }
        reading = arrived > 1.12 * sent + 0.001 ? .capacity(bits / arrived) : .atLeast(bits / max(arrived, sent))
    }
}
