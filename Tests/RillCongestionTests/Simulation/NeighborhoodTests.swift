import RillTestSupport
import Testing

/// Rill beside Google's congestion control, which controls its rate by the gradient of the delay.
@Suite struct NeighborhoodTests {
    /// A cell of the table.
    struct Cell: Sendable, CustomTestStringConvertible {
        let place: Neighborhood
        /// The target that is missed; `nil` if all are met.
        let knownMiss: String?

        var testDescription: String { place.description }

        init(_ kinds: String, _ rate: Int, _ roundTrip: Int, hasCuts: Bool = false, _ knownMiss: String? = nil) {
            var place = Neighborhood(kinds, rate: rate, roundTrip: roundTrip)
            place.hasCuts = hasCuts
            self.place = place
            self.knownMiss = knownMiss
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
        // On 3 Mbit/s with 150 ms Rill gets less than its share.
        withKnownIssue("Rill gets less") {
            #expect(mixed.jain >= 0.85, "\(mixed.shares)")
        } when: {
            place.rate == 3000
        }
    }

    @Test(arguments: [false, true])
    func `Two flows of Rill use the link, in equal shares`(hasCuts: Bool) throws {
        var place = Neighborhood("RR", rate: 3000, roundTrip: 40)
        place.hasCuts = hasCuts
        let figures = try place.run(seed: 7)
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
            "\(cell.place): Jain \(CaseResult.short(jain)), GCC \(CaseResult.short(shares.mean)) "
                + "[\(CaseResult.short(least))], beside its own kind \(CaseResult.short(own)), "
                + "sum \(CaseResult.short(mixed.map(\.sum).mean))")
        let isFair = cell.place.kinds.count > 2 || cell.place.rate < 2000 || jain >= 0.93
        let isMet = shares.mean >= 0.8 * own && least >= 0.6 * own && isFair
        // What is met in all cells without cuts.
        let isFloorMet = shares.mean >= 0.6 * own && jain > 0.8
        #expect(isFloorMet || cell.place.hasCuts, "GCC \(shares.mean) of \(own), Jain \(jain)")
        guard let miss = cell.knownMiss else {
            #expect(isMet, "GCC \(shares.mean) [\(least)] of \(own), Jain \(jain)")
            return
        }
        withKnownIssue(Comment(rawValue: miss)) { #expect(isMet) }
    }
}

extension NeighborhoodTests.Cell {
    /// Flows in the order in which they start, the rate in kbit/s, the round trip in ms.
    static let all: [NeighborhoodTests.Cell] = [
        .init("GR", 1000, 40), .init("GR", 1000, 150),
        .init("GR", 2000, 40), .init("GR", 2000, 150, "Jain 0.90: Rill gets less"),
        .init("GR", 3000, 40, "Jain 0.89: Rill gets less"), .init("GR", 3000, 150, "Jain 0.83: Rill gets less"),
        .init("RG", 1000, 40), .init("RG", 1000, 150),
        .init("RG", 2000, 40), .init("RG", 2000, 150, "Jain 0.92: Rill gets less"),
        .init("RG", 3000, 40), .init("RG", 3000, 150, "Jain 0.88: Rill gets less"),
        .init("GGR", 1000, 40, "GCC has 0.79, one seed 0.37"), .init("GGR", 1000, 150, "one seed 0.56"),
        .init("GGR", 2000, 40), .init("GGR", 2000, 150),
        .init("GGR", 3000, 40), .init("GGR", 3000, 150),
        .init("RRG", 1000, 40, "GCC has 0.70 of its share"), .init("RRG", 1000, 150, "GCC has 0.63 of its share"),
        .init("RRG", 2000, 40), .init("RRG", 2000, 150),
        .init("RRG", 3000, 40), .init("RRG", 3000, 150),
        // GCC does not recover from its own large frames there.
        .init("RG", 2000, 40, hasCuts: true, "GCC gets less"), .init("GGR", 2000, 40, hasCuts: true, "GCC gets less"),
        .init("RRG", 2000, 40, hasCuts: true, "GCC falls to its lower bound"),
    ]
}

extension [Double] {
    fileprivate var mean: Double { reduce(0, +) / Double(Swift.max(1, count)) }
}
