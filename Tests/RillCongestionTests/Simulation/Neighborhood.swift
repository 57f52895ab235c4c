import RillCongestion
import RillCore

/// Flows of Rill's and of Google's congestion control that share a bottleneck, in the order in which they start.
///
/// Those of Google's send each frame at once, as Chromium 156 does: its pacer lets 40 ms leave together. The first has
/// found the link by its probes.
struct Neighborhood: Sendable, CustomStringConvertible {
    enum Kind: Character { case rill = "R", google = "G" }

    /// The flows: the first starts at once, each further one 15 s later.
    let kinds: [Kind]
    /// The capacity in kbit/s, and the round trip in milliseconds.
    let (rate, roundTrip): (Int, Int)
    /// Whether the picture has a cut every three seconds.
    var hasCuts = false

    /// The figures of one call from its 90th to its 180th second.
    struct Figures {
        /// The share of the link by flow.
        let shares: [Double]
        let kinds: [Kind]

        var jain: Double {
            let sum = shares.reduce(0, +)
            return sum * sum / (Double(shares.count) * shares.reduce(0) { $0 + $1 * $1 })
        }
        var sum: Double { shares.reduce(0, +) }
        /// The mean share of the flows of one kind; 0 without any.
        func mean(_ kind: Kind) -> Double {
            let own = zip(kinds, shares).filter { $0.0 == kind }.map(\.1)
            return own.reduce(0, +) / Double(max(1, own.count))
        }
    }

    init(_ kinds: String, rate: Int, roundTrip: Int) {
        self.kinds = kinds.compactMap(Kind.init)
        (self.rate, self.roundTrip) = (rate, roundTrip)
    }

    /// The same number of flows on the same link, all of Google's congestion control.
    var ofGoogle: Neighborhood {
        var own = Neighborhood(String(repeating: "G", count: kinds.count), rate: rate, roundTrip: roundTrip)
        own.hasCuts = hasCuts
        return own
    }

    func run(seed: UInt64) throws -> Figures {
        var plan = CallPlan(180, rate: Double(rate) * 1000)
        (plan.delay, plan.back) = ("\(roundTrip / 2)ms", "rate=10M,delay=\(roundTrip / 2)ms")
        let maximum = Bitrate.kilobits(max(2500, rate))
        plan.flows = kinds.enumerated().map { index, kind in
            var flow = FlowPlan(start: 15 * Double(index), maximum: maximum)
            flow.hasScenes = hasCuts
            if kind == .google {
                let start = Bitrate.kilobits(rate * (index == 0 ? 9 : 3) / 10)
                flow.controller = {
                    GoogleCongestionControl(start: start, range: .kilobits(50)...maximum, pacingFactor: 100)
                }
            }
            return flow
        }
        let call = try SimulatedCall(plan, seed: seed)
        return Figures(shares: kinds.indices.map { call.utilization(90, 180, flow: $0) }, kinds: kinds)
    }

    var description: String {
        "\(String(kinds.map(\.rawValue))) \(rate) kbit/s, \(roundTrip) ms" + (hasCuts ? ", cuts" : "")
    }
}
