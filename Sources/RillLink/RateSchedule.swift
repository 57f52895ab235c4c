public import RillCore

/// The rate of a link's bottleneck over time: constant, or in steps.
///
///     let steady = RateSchedule(.megabits(2))
///     let step = try RateSchedule(notation: "2M/450k@40s/2M@80s")
///
/// Times count from the clock's zero, where virtual time and the live driver begin; the last rate lasts for ever.
public struct RateSchedule: Hashable, Sendable {
    /// From `start` on the bottleneck passes `rate`.
    public struct Step: Hashable, Sendable {
        /// When the rate begins.
        public var start: MediaTime
        /// 1 kbit/s to 1 Tbit/s; or zero, where another step follows: then nothing passes until that one, and what is in
        /// the queue stays there.
        public var rate: Bitrate

        /// A step of the rate.
        public init(_ rate: Bitrate, from start: MediaTime) {
            self.start = start
            self.rate = rate
        }
    }

    /// At least one; the first begins at zero, each later than the one before.
    public let steps: [Step]

    /// A rate that never changes.
    public init(_ rate: Bitrate) {
        steps = [Step(rate, from: .zero)]
    }

    /// A rate that changes.
    ///
    /// - Throws: `stepsNotRising`; a rate out of its range is told by ``LinkSettings``.
    public init(_ rate: Bitrate, then later: [Step]) throws(LinkError) {
        steps = [Step(rate, from: .zero)] + later
        for (step, next) in zip(steps, steps.dropFirst()) where next.start <= step.start {
            throw .stepsNotRising(step.start - .zero, next.start - .zero)
        }
    }

    /// The first step that is out of its range, if any is.
    var badRate: Bitrate? {
        for (index, step) in steps.enumerated() {
            let mayStop = index + 1 < steps.count
            guard LinkSettings.rateRange.contains(step.rate) || (mayStop && step.rate.bitsPerSecond == 0) else {
                return step.rate
            }
        }
        return nil
    }
}

extension RateSchedule: CustomStringConvertible {
    /// Rates with the times at which they begin, as the command line writes them: `2M`, `2M/450k@40s/2M@80s`.
    public init(notation text: some StringProtocol) throws(LinkError) {
        var steps: [Step] = []
        for part in text.split(separator: "/", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == (steps.isEmpty ? 1 : 2) else { throw .malformedValue(.rate, String(text)) }
            do throws(NotationError) {
                let start = sides.count == 2 ? try MediaDuration(notation: sides[1]) : .zero
                steps.append(Step(try Bitrate(notation: sides[0]), from: .zero + start))
            } catch {
                throw .invalidValue(.rate, error)
            }
        }
        try self.init(steps[0].rate, then: Array(steps.dropFirst()))
    }

    /// The same grammar.
    public var description: String {
        steps.enumerated().map { index, step in
            index == 0 ? "\(step.rate)" : "\(step.rate)@\((step.start - .zero).notation)"
        }.joined(separator: "/")
    }
}
