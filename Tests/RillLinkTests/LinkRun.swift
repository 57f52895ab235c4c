import RillCore
import RillLink

/// What came of datagrams that were sent one after the other: the outcome of each, and all deliveries in their order.
struct LinkRun: Equatable {
    let outcomes: [SendOutcome]
    let deliveries: [Delivery]
    /// The first byte of each delivered datagram, and its size.
    let contents: [[Int]]
    let statistics: LinkStatistics
    /// What the link still counts as on its way when everything was polled.
    let leftOver: Int

    /// Sends `count` datagrams `interval` apart, the first at time zero, and polls before each one and at the end.
    ///
    /// Each datagram is filled with the low byte of its number.
    init(
        _ settings: LinkSettings, count: Int, interval: MediaDuration = .milliseconds(1),
        size: (Int) -> Int = { _ in 100 }
    ) {
        let link = EmulatedLink(settings)
        var outcomes: [SendOutcome] = []
        var deliveries: [Delivery] = []
        var contents: [[Int]] = []
        var datagram: [UInt8] = []
        func poll(at now: MediaTime) {
            while let delivery = link.poll(at: now, into: &datagram) {
                deliveries.append(delivery)
                contents.append([Int(datagram.first ?? 0), datagram.count])
            }
        }
        for index in 0..<count {
            let now = MediaTime.zero + interval * index
            poll(at: now)
            let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: size(index))
            outcomes.append(link.send(bytes.span, at: now))
        }
        poll(at: .distantFuture)
        self.outcomes = outcomes
        self.deliveries = deliveries
        self.contents = contents
        self.statistics = link.statistics
        self.leftOver = link.countInFlight
    }

    var lostCount: Int { outcomes.count { $0 == .lost(.random) } }
}

/// Whether `count` of `trials` is within five standard deviations of what `probability` leads to expect: a right
/// implementation fails once in two million seeds.
func isPlausible(_ count: Int, of trials: Int, at probability: Percentage) -> Bool {
    let mean = Double(trials) * probability.fraction
    let deviation = (mean * (1 - probability.fraction)).squareRoot()
    return abs(Double(count) - mean) <= 5 * deviation
}
