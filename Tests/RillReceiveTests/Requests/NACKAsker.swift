import RillCore
import RillRTP
import Testing

@testable import RillReceive

/// A generator whose packets are counted from `start`; times are milliseconds.
final class NACKAsker {
    var generator: NACKGenerator
    private let start: Int64
    private var numbers: [SequenceNumber] = []

    init(
        from start: Int64 = 65534, roundTripTime: Int = 100, _ change: (inout NACKSettings) -> Void = { _ in }
    ) {
        var settings = NACKSettings()
        change(&settings)
        generator = NACKGenerator(settings, roundTripTime: .milliseconds(roundTripTime))
        // As measured.
        generator.roundTripTime = .milliseconds(roundTripTime)
        self.start = start
    }

    func arrive(_ packet: Int64, _ origin: PacketOrigin = .network, at time: Double) {
        generator.noteArrival(start + packet, origin: origin, at: .milliseconds(time))
    }

    func suspect(_ packet: Int64, count: Int = 1, at time: Double) {
        generator.suspect(start + packet, count: count, at: .milliseconds(time))
    }

    /// The packets that were asked for since then in vain, and whether more than once.
    func unanswered(since time: Double) -> (packets: [Int64], isInVain: Bool) {
        let isInVain = generator.collectUnanswered(since: .milliseconds(time), into: &numbers)
        let base = SequenceNumber(UInt16(truncatingIfNeeded: start))
        return (numbers.map { Int64($0.distance(since: base)) }, isInVain)
    }

    /// The packets that are asked for now, back from the numbers of the wire.
    func collect(at time: Double) -> [Int64] {
        let count = generator.collect(at: .milliseconds(time))
        _ = generator.collectUnanswered(since: .milliseconds(time), into: &numbers)
        #expect(numbers.count == count)
        let base = SequenceNumber(UInt16(truncatingIfNeeded: start))
        return numbers.map { Int64($0.distance(since: base)) }
    }

    /// The times, in milliseconds, at which packets are asked for, until nothing is to be done any more.
    func collectAll() -> [(time: Double, packets: [Int64])] {
        var requests: [(time: Double, packets: [Int64])] = []
        for _ in 0..<1000 {
            let time = next
            guard let time else { return requests }
            let packets = collect(at: time)
            if !packets.isEmpty { requests.append((time, packets)) }
        }
        Issue.record("it never stops asking")
        return requests
    }

    /// When something is to be done next.
    var next: Double? {
        let next = generator.nextAction
        return next == .distantFuture ? nil : Double(next.nanoseconds) / 1e6
    }

    func isLossy(at time: Double) -> Bool { generator.isLossy(at: .milliseconds(time)) }

    /// By how many milliseconds packets have overtaken each other.
    var reordering: Double { generator.reordering.milliseconds }

    func arrivalDeadline(after first: Int64, through last: Int64) -> MediaTime? {
        generator.arrivalDeadline(after: start + first, through: start + last)
    }
}
