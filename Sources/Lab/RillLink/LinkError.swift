public import RillCore

/// What is wrong with the settings of an emulated link, with the name of the setting.
public enum LinkError: Error, Equatable, Sendable {
    /// A part of the text has an unknown name.
    case unknownSetting(String)
    /// A setting has no `=` and value.
    case missingValue(LinkSettings.Name)
    /// A setting occurs twice in one text.
    case repeatedSetting(LinkSettings.Name)
    /// The value of a setting is not a quantity of its kind.
    case invalidValue(LinkSettings.Name, NotationError)
    /// The seed is not a whole number from 0 to 18446744073709551615.
    case invalidSeed(String)
    /// A value with several parts does not have the expected parts.
    case malformedValue(LinkSettings.Name, String)
    /// The order is not one of ``PacketOrder``.
    case unknownOrder(String)
    /// A duration is below the minimum or above the maximum of the setting.
    case durationOutOfRange(
        LinkSettings.Name, MediaDuration, minimum: MediaDuration = .zero, maximum: MediaDuration)
    /// A rate is outside ``LinkSettings/rateRange``.
    case rateOutOfRange(Bitrate)
    /// The steps of a rate are not in ascending order of time.
    case stepsNotRising(MediaDuration, MediaDuration, of: LinkSettings.Name = .rate)
    /// A rate of cross traffic is neither zero nor in ``LinkSettings/crossRateRange``.
    case crossTrafficOutOfRange(Bitrate)
    /// There are more than ``CUBICFlow/maximumCount`` flows.
    case tooManyFlows(Int)
    /// A setting needs a bottleneck: ``LinkSettings/rate`` or ``LinkSettings/trace``.
    case noBottleneck(LinkSettings.Name)
    /// A queue in bytes is below zero or above ``QueueLimit/maximumByteCount``.
    case queueOutOfRange(byteCount: Int)
    /// A number of bytes is outside the setting's range.
    case byteCountOutOfRange(LinkSettings.Name, Int, minimum: Int, maximum: Int)
    /// That loss is impossible in bursts of that mean length, or the length is outside 1 to 10 000.
    case impossibleBurst(BurstLoss)
    /// Two settings that exclude each other.
    case conflictingSettings(LinkSettings.Name, LinkSettings.Name)
    /// A line of a trace is invalid; lines are counted from one.
    case invalidTrace(String, line: Int, TraceDefect)
    /// The system could not open or read a trace; `code` is its `errno`.
    case traceUnreadable(String, code: Int32)
}

extension LinkError: CustomStringConvertible {
    /// One sentence for the caller that chose the settings.
    public var description: String {
        switch self {
        case .unknownSetting(let part):
            "\"\(part)\" is no setting of a link: expected "
                + LinkSettings.Name.allCases.map(\.rawValue).joined(separator: ", ")
        case .missingValue(let name):
            "\(name.rawValue) has no value: expected something like \(name.rawValue)=\(name.example)"
        case .repeatedSetting(let name):
            "\(name.rawValue) occurs twice"
        case .invalidValue(let name, let error):
            "\(name.rawValue): \(error)"
        case .invalidSeed(let text):
            "seed: \"\(text)\" is not a whole number from 0 to \(UInt64.max)"
        case .malformedValue(let name, let text):
            "\(name.rawValue): \"\(text)\" is not \(name.form): expected something like \(name.rawValue)=\(name.example)"
        case .unknownOrder(let text):
            "order: \"\(text)\" is not an order: expected "
                + PacketOrder.allCases.map(\.rawValue).joined(separator: " or ")
        case .durationOutOfRange(let name, let duration, let least, let most):
            "\(name.rawValue): \(duration.notation) is outside \(least.notation) to \(most.notation)"
        case .rateOutOfRange(let rate):
            "rate: \(rate) is outside \(LinkSettings.rateRange.lowerBound) to \(LinkSettings.rateRange.upperBound);"
                + " leave it out for a link without a limit"
        case .crossTrafficOutOfRange(let rate):
            "cross: \(rate) is neither 0 nor within \(LinkSettings.crossRateRange.lowerBound) to"
                + " \(LinkSettings.crossRateRange.upperBound)"
        case .tooManyFlows(let count):
            "cubic: \(count) flows: expected at most \(CUBICFlow.maximumCount)"
        case .noBottleneck(let name):
            "\(name.rawValue): the link has no bottleneck to share: expected rate or trace, too"
        case .stepsNotRising(let first, let second, let name):
            "\(name.rawValue): the step at \(second.notation) follows the one at \(first.notation):"
                + " expected rising times, from above 0s"
        case .queueOutOfRange(let byteCount):
            "queue: \(byteCount) bytes are outside 0 to \(QueueLimit.maximumByteCount)"
        case .byteCountOutOfRange(let name, let byteCount, let least, let most):
            "\(name.rawValue): \(byteCount) bytes are outside \(least) to \(most)"
        case .impossibleBurst(let burst):
            "burst: no link loses \(burst): the mean length is 1 to 10000, and between two bursts something gets"
                + " through, so that with mean length L at most L/(L+1) is lost"
        case .conflictingSettings(let one, let other):
            "\(one.rawValue) and \(other.rawValue) exclude each other: expected one of them"
        case .invalidTrace(let name, let line, let defect):
            "\(name): line \(line): \(defect.sentence)"
        case .traceUnreadable(let path, let code):
            "\(path): the trace cannot be read: \(systemText(code))"
        }
    }
}

extension LinkSettings.Name {
    /// The parts of a value with several parts.
    fileprivate var form: String {
        switch self {
        case .burst: "LOSS/LENGTH or P/R/LOSS-IN-BAD/LOSS-IN-GOOD"
        case .blackout: "DURATION@START or DURATION@START+INTERVAL"
        case .spikes: "HEIGHT/INTERVAL"
        case .wifi: "LEAST/MOST"
        case .rate, .cross: "RATE or RATE/RATE@TIME/…"
        case .queue: "a duration, drain/ and a duration, or a whole number of B, kB or MB"
        case .cubic: "ROUNDTRIP, ROUNDTRIP@START or ROUNDTRIP@START-END"
        case .headers, .crossSize: "a whole number of bytes"
        default: "a value"
        }
    }
}

extension TraceDefect {
    fileprivate var sentence: String {
        switch self {
        case .empty: "no number at all: expected the milliseconds of a mahimahi trace, one a line"
        case .notANumber: "expected the digits of one number, and nothing else"
        case .numberTooLarge: "the number is above \(UInt32.max)"
        case .timeGoesBack(let from, let to): "\(to) stands behind \(from): expected times that do not fall"
        case .zeroDuration: "the last number is 0: expected one above, the length of the trace"
        case .tooLong: "more than \(DeliveryTrace.maximumCount) lines"
        }
    }
}
