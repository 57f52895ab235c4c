package import RillCore
import RillLink

/// The outcome of one datagram: a line of a relay's log.
package struct RelayRecord: Equatable, Sendable {
    package var pair: Int
    package var direction: RelayDirection
    /// Its number on the link, counted from zero; `nil` if it was not sent over one.
    package var number: Int?
    package var byteCount: Int
    /// When it arrived, on the schedule's clock; zero if it was refused before the schedule started.
    package var arrival: MediaTime
    package var outcome: Outcome
    /// Details: why it was lost, what was done to it.
    package var detail: String
    /// When the link schedules its arrival at the other end.
    package var scheduled: MediaTime?
    /// When it was handed to the system.
    package var departure: MediaTime?
    /// The time in the bottleneck's queue before its own transmission; `nil` if it did not pass one.
    package var wait: MediaDuration?

    package enum Outcome: String, Sendable {
        /// It departed.
        case delivered
        /// A second copy of it departed.
        case copy
        /// The link lost it.
        case lost
        /// It was not sent over the link.
        case refused
        /// It was due, but the system did not take it.
        case failed
        /// It was in flight when the relay was stopped.
        case abandoned
    }

    /// The header line of the log.
    package static let columns = "pair,direction,number,bytes,arrival_s,outcome,detail,scheduled_s,departure_s,wait_s"

    /// Creates the record of a refused datagram, at `time` on the schedule's clock.
    init(_ refusal: RelayRefusal, pair: Int, byteCount: Int, at time: MediaTime) {
        (self.pair, self.byteCount, arrival) = (pair, byteCount, time)
        direction = refusal == .tooManySenders ? .forward : .return
        (outcome, detail) = (.refused, refusal.rawValue)
    }

    /// Creates the record of a datagram that a link lost; `nil` if it did not.
    init?(_ entry: RelayEntry) {
        guard case .lost(let reason) = entry.outcome else { return nil }
        (pair, direction, number) = (entry.pair, entry.direction, entry.number)
        (byteCount, arrival, outcome, wait) = (entry.byteCount, entry.arrival, .lost, entry.wait)
        detail =
            switch reason {
            case .random: "random"
            case .burst: "burst"
            case .blackout: "blackout"
            case .queueFull: "queue-full"
            case .linkFull: "link-full"
            case .tooLarge: "too-large"
            }
    }

    /// Creates the record of a datagram that departed, or should have.
    init(_ departure: RelayDeparture, _ outcome: Outcome? = nil, failure: RelayMeter.Failure? = nil) {
        (pair, direction, number) = (departure.pair, departure.direction, departure.number)
        (byteCount, arrival) = (departure.byteCount, departure.arrival)
        self.outcome = outcome ?? (departure.isCopy ? .copy : .delivered)
        let marks: [(String, Bool)] = [
            ("held-back", departure.isHeldBack), ("corrupted", departure.isCorrupted),
            ("duplicated", departure.isDuplicated), ("copy", departure.isCopy && self.outcome != .copy),
        ]
        var words: [String] = failure.map { [$0.rawValue] } ?? []
        for (word, isSo) in marks where isSo { words.append(word) }
        detail = words.joined(separator: "+")
        (scheduled, wait) = (departure.scheduled, departure.wait)
        self.departure = self.outcome == .abandoned ? nil : departure.departure
    }

    /// The line, without its line end. Pairs count from 1; times are in seconds with nine decimals.
    package var line: String {
        let number = number.map { "\($0)" } ?? ""
        return "\(pair + 1),\(direction.rawValue),\(number),\(byteCount),\(Self.text(arrival)),\(outcome.rawValue),"
            + "\(detail),\(Self.text(scheduled)),\(Self.text(departure)),\(Self.text(wait.map { .zero + $0 }))"
    }

    /// Parses a line; `nil` for anything that ``line`` does not produce, including the header.
    package init?(line: some StringProtocol) {
        let cells = line.split(separator: ",", omittingEmptySubsequences: false)
        guard cells.count == 10, let pair = Int(cells[0]), pair > 0,
            let direction = RelayDirection(rawValue: String(cells[1])), cells[2].isEmpty || Int(cells[2]) != nil,
            let byteCount = Int(cells[3]), let arrival = Self.time(cells[4]),
            let outcome = Outcome(rawValue: String(cells[5])),
            cells[7...].allSatisfy({ $0.isEmpty || Self.time($0) != nil })
        else { return nil }
        (self.pair, self.direction, number) = (pair - 1, direction, Int(cells[2]))
        (self.byteCount, self.arrival, self.outcome, detail) = (byteCount, arrival, outcome, String(cells[6]))
        (scheduled, departure) = (Self.time(cells[7]), Self.time(cells[8]))
        wait = Self.time(cells[9]).map { $0 - .zero }
    }

    private static func time(_ text: some StringProtocol) -> MediaTime? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count == 9, let seconds = Int64(parts[0]), let rest = UInt32(parts[1])
        else { return nil }
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (nanoseconds, more) = whole.addingReportingOverflow(Int64(rest) * (text.first == "-" ? -1 : 1))
        return overflow || more ? nil : MediaTime(nanoseconds: nanoseconds)
    }

    private static func text(_ time: MediaTime?) -> String {
        guard let nanoseconds = time?.nanoseconds else { return "" }
        let (seconds, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        let digits = String(rest)
        return (nanoseconds < 0 ? "-" : "") + "\(seconds)." + String(repeating: "0", count: 9 - digits.count) + digits
    }
}
