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
        var arrivalSeconds: Double
        var isStretched: Bool
    }

    /// The time that trains are pooled over.
    private static let window = MediaDuration.milliseconds(900)
    private var open: Train?
    private var samples: [Sample] = []

    private(set) var reading = Reading.unknown

    /// Adds a received packet, in the order of sending.
    mutating func add(_ packet: PacketRecord, arrival: MediaTime) {
        if var train = open, train.number == packet.train, packet.sendTime >= train.lastSend {
            train.lastSend = packet.sendTime
            train.lastArrival = max(train.lastArrival, arrival)
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
        let arrivalSeconds = (train.lastArrival - train.firstArrival).seconds
        let sendSeconds = (train.lastSend - train.firstSend).seconds
        guard arrivalSeconds > 0.002 else { return }
        samples.append(
            Sample(
                end: train.lastArrival, bits: Double(train.byteCount * 8), arrivalSeconds: arrivalSeconds,
                isStretched: arrivalSeconds > 1.12 * sendSeconds + 0.001))
        samples.removeAll { train.lastArrival - $0.end > Self.window }
        let stretched = samples.filter(\.isStretched)
        let bits = samples.reduce(0) { $0 + $1.bits }
        let stretchedBits = stretched.reduce(0) { $0 + $1.bits }
        if stretchedBits > bits / 2 {
            reading = .capacity(stretchedBits / stretched.reduce(0) { $0 + $1.arrivalSeconds })
        } else if bits > 0 {
            reading = .atLeast(bits / samples.reduce(0) { $0 + $1.arrivalSeconds })
        }
    }
}
