package import RillCore
package import RillRTP

/// Orders of packets as networks and bad senders make them, and uniformly random numbers do not: runs, rests, copies,
/// packets that are late by whole windows, and jumps by powers of two.
package enum ArrivalOrder {
    /// One packet, and how long after the one before it arrives.
    package struct Step: Equatable, Sendable {
        package var delay: MediaDuration
        package var number: SequenceNumber

        package init(after delay: MediaDuration, _ number: SequenceNumber) {
            (self.delay, self.number) = (delay, number)
        }
    }

    /// Shorter than the interval of feedback, and longer: each packet behind such a rest makes a feedback of its own.
    private static let rests: [MediaDuration] = [
        .zero, .zero, .milliseconds(1), .milliseconds(1), .milliseconds(20), .milliseconds(60), .milliseconds(1100),
    ]

    /// Packets in such an order.
    ///
    /// - Parameters:
    ///   - count: how many packets.
    ///   - first: the first number.
    ///   - random: decides.
    package static func packets(
        _ count: Int, from first: UInt16, using random: inout some RandomNumberGenerator
    ) -> [Step] {
        var steps: [Step] = []
        var newest = Int(first)
        while steps.count < count {
            let start = next(after: newest, using: &random)
            let length = [1, 1, 2, 3, 4, 30, 400].randomElement(using: &random) ?? 1
            // A copy of one packet, a run, every second one, or a run backwards.
            let stride = [0, 1, 1, 1, 2, -1].randomElement(using: &random) ?? 1
            let before = rests.randomElement(using: &random) ?? .zero
            let between = length > 4 ? .milliseconds(1) : rests.randomElement(using: &random) ?? .zero
            for index in 0..<length {
                let number = start + stride * index
                steps.append(
                    Step(after: index == 0 ? before : between, SequenceNumber(UInt16(truncatingIfNeeded: number))))
                newest = max(newest, number)
            }
        }
        return steps
    }

    /// The number with which a run begins: the next, or one that is off by about a power of two.
    private static func next(after newest: Int, using random: inout some RandomNumberGenerator) -> Int {
        let power = 1 << Int.random(in: 0...15, using: &random)
        let off = power + Int.random(in: -2...2, using: &random)
        return switch Int.random(in: 0..<8, using: &random) {
        case 0...1: newest + 1
        case 2: newest
        case 3: newest + off
        // Of a window, a half, and between them.
        case 4: newest - power / 2 - power / 4
        default: newest - off
        }
    }

    /// The smallest order that once kept feedback due with nothing to report: late by more than half a window of
    /// transport-wide numbers, and by more than half of a stream's.
    package static func lateBehindRest(_ kind: StreamDescription.CongestionFeedback) -> [Step] {
        let late: [UInt16] = kind == .transportWide ? [400, 401, 402] : [700, 701, 702]
        return ([1000] + late).map { Step(after: .milliseconds(1100), SequenceNumber($0)) }
    }
}
