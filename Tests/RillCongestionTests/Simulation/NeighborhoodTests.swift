import RillTestSupport
import Testing

/// Rill beside Google's congestion control, which controls its rate by the gradient of the delay.
@Suite struct NeighborhoodTests {
    /// A cell with the figures before Rill yielded to delay-based flows: Jain's index and GCC's mean share.
    struct Cell: Sendable, CustomTestStringConvertible {
        let place: Neighborhood
        let before: (jain: Double, google: Double)
        /// The target that is missed; `nil` if all are met.
        let knownMiss: String?

        var testDescription: String { place.description }

        init(_ kinds: String, _ rate: Int, _ roundTrip: Int, before: (Double, Double), _ knownMiss: String? = nil) {
            place = Neighborhood(kinds, rate: rate, roundTrip: roundTrip)
            (self.before, self.knownMiss) = (before, knownMiss)
        }
    }

    /// A few cells, with one seed: GCC gets at least 0.6 of what it gets beside its own kind.
    @Test(arguments: [
        Neighborhood("RG", rate: 2000, roundTrip: 40), Neighborhood("GR", rate: 1000, roundTrip: 150),
        Neighborhood("GR", rate: 3000, roundTrip: 150), Neighborhood("GGR", rate: 2000, roundTrip: 40),
    ])
    func `Google's congestion control keeps its share beside Rill`(place: Neighborhood) throws {
        let (mixed, own) = (try place.run(seed: 7), try place.ofGoogle.run(seed: 7))
        #expect(mixed.mean(.google) >= 0.6 * own.mean(.google), "\(mixed.shares), beside its own kind \(own.shares)")
        #expect(mixed.jain >= 0.85, "\(mixed.shares)")
    }

    @Test func `Two flows of Rill use the link, in equal shares`() throws {
        let figures = try Neighborhood("RR", rate: 3000, roundTrip: 40).run(seed: 7)
        #expect(figures.sum >= 0.93 && figures.jain >= 0.98, "\(figures.shares)")
    }

    /// In the mean of 20 seeds GCC gets at least 0.8 of what it gets beside its own kind, in each at least 0.6. Two
    /// flows at 2 and 3 Mbit/s have a Jain's index of 0.93.
    @Test(.enabled(if: isLongRun), arguments: Cell.all)
    func `Twenty seeds of each neighborhood meet their targets`(cell: Cell) throws {
        let mixed = try (1...20).map { try cell.place.run(seed: $0) }
        let own = try (1...20).map { try cell.place.ofGoogle.run(seed: $0).mean(.google) }.mean
        let shares = mixed.map { $0.mean(.google) }
        let (jain, least) = (mixed.map(\.jain).mean, shares.min() ?? 0)
        note(
            "\(cell.place): Jain \(CaseResult.short(jain)) (\(cell.before.jain) before), "
                + "GCC \(CaseResult.short(shares.mean)) [\(CaseResult.short(least))] (\(cell.before.google) before), "
                + "beside its own kind \(CaseResult.short(own)), sum \(CaseResult.short(mixed.map(\.sum).mean))")
        let isFair = cell.place.kinds.count > 2 || cell.place.rate < 2000 || jain >= 0.93
        let isMet = shares.mean >= 0.8 * own && least >= 0.6 * own && isFair
        // What is met in all cells, also where one seed or Jain's index is missed.
        #expect(shares.mean >= 0.8 * own && shares.mean > cell.before.google && jain > cell.before.jain)
        guard let miss = cell.knownMiss else {
            #expect(isMet)
            return
        }
        withKnownIssue(Comment(rawValue: miss)) { #expect(isMet) }
    }
}

extension NeighborhoodTests.Cell {
    /// Flows in the order in which they start, the rate in kbit/s, the round trip in ms.
    static let all: [NeighborhoodTests.Cell] = [
        .init("GR", 1000, 40, before: (0.68, 0.14)),
        .init("GR", 1000, 150, before: (0.69, 0.16)),
        .init("GR", 2000, 40, before: (0.67, 0.13)),
        .init("GR", 2000, 150, before: (0.71, 0.18)),
        .init("GR", 3000, 40, before: (0.61, 0.10), "one seed 0.50, Jain 0.89"),
        .init("GR", 3000, 150, before: (0.71, 0.22)),
        .init("RG", 1000, 40, before: (0.66, 0.13)),
        .init("RG", 1000, 150, before: (0.66, 0.13)),
        .init("RG", 2000, 40, before: (0.64, 0.12)),
        .init("RG", 2000, 150, before: (0.69, 0.15)),
        .init("RG", 3000, 40, before: (0.61, 0.09), "one seed 0.59, Jain 0.87"),
        .init("RG", 3000, 150, before: (0.67, 0.14)),
        .init("GGR", 1000, 40, before: (0.74, 0.18)),
        .init("GGR", 1000, 150, before: (0.80, 0.20), "one seed 0.51"),
        .init("GGR", 2000, 40, before: (0.67, 0.14), "one seed 0.48"),
        .init("GGR", 2000, 150, before: (0.73, 0.16), "one seed 0.58"),
        .init("GGR", 3000, 40, before: (0.53, 0.10)),
        .init("GGR", 3000, 150, before: (0.58, 0.11), "one seed 0.45"),
        .init("RRG", 1000, 40, before: (0.77, 0.09), "one seed 0.33"),
        .init("RRG", 1000, 150, before: (0.78, 0.09), "one seed 0.34"),
        .init("RRG", 2000, 40, before: (0.73, 0.04)),
        .init("RRG", 2000, 150, before: (0.73, 0.04), "one seed 0.59"),
        .init("RRG", 3000, 40, before: (0.72, 0.04)),
        .init("RRG", 3000, 150, before: (0.72, 0.04), "one seed 0.59"),
    ]
}

extension [Double] {
    fileprivate var mean: Double { reduce(0, +) / Double(Swift.max(1, count)) }
}
