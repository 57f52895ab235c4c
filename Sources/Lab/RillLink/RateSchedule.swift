public import RillCore

/// The rate of a link's bottleneck over time: constant, or in steps.
///
/// ```swift
/// let steady = RateSchedule(.megabits(2))
/// let step = try RateSchedule(notation: "2M/450k@40s/2M@80s")
/// ```
///
/// Times count from the clock's zero, where virtual time and the live driver start; the last rate lasts forever.
public struct RateSchedule: Hashable, Sendable {
    /// One step: from `start` on the bottleneck has `rate`.
    public struct Step: Hashable, Sendable {
        /// When the rate starts.
        public var start: MediaTime
        /// 1 kbit/s to 1 Tbit/s; or zero, if another step follows: then nothing passes until that one, and the queue
        /// keeps its content.
        public var rate: Bitrate

        /// Creates a step of the rate.
        public init(_ rate: Bitrate, from start: MediaTime) {
            self.start = start
            self.rate = rate
        }
    }

    /// At least one step; the first starts at zero, each other later than the previous one.
    public let steps: [Step]

    /// Creates a constant rate.
    public init(_ rate: Bitrate) {
        steps = [Step(rate, from: .zero)]
    }

    /// Creates a rate that changes.
    ///
    /// - Parameters:
    ///   - rate: the first rate.
    ///   - later: the further steps, with ascending times.
    /// - Throws: `stepsNotRising`; ``LinkSettings`` checks the range of the rates.
    public init(_ rate: Bitrate, then later: [Step]) throws(LinkError) {
        steps = [Step(rate, from: .zero)] + later
        for (step, next) in zip(steps, steps.dropFirst()) where next.start <= step.start {
            throw .stepsNotRising(step.start - .zero, next.start - .zero)
        }
    }

    /// The first rate out of range; `nil` if there is none.
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
    /// Parses rates with their start times, in the command line's notation: `2M`, `2M/450k@40s/2M@80s`.
    ///
    /// - Parameter text: the schedule.
    /// - Throws: ``LinkError`` if the text is malformed.
    public init(notation text: some StringProtocol) throws(LinkError) {
        try self.init(notation: text, of: .rate)
    }

    /// Parses the value of the setting `name`.
    init(notation text: some StringProtocol, of name: LinkSettings.Name) throws(LinkError) {
        var steps: [Step] = []
        for part in text.split(separator: "/", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == (steps.isEmpty ? 1 : 2) else { throw .malformedValue(name, String(text)) }
            do throws(NotationError) {
                let start = sides.count == 2 ? try MediaDuration(notation: sides[1]) : .zero
                steps.append(Step(try Bitrate(notation: sides[0]), from: .zero + start))
            } catch {
                throw .invalidValue(name, error)
            }
        }
        do {
            try self.init(steps[0].rate, then: Array(steps.dropFirst()))
        } catch .stepsNotRising(let first, let second, _) {
            throw .stepsNotRising(first, second, of: name)
        }
    }

    /// The same notation.
    public var description: String {
        steps.enumerated().map { index, step in
            index == 0 ? "\(step.rate)" : "\(step.rate)@\((step.start - .zero).notation)"
        }.joined(separator: "/")
    }
}
