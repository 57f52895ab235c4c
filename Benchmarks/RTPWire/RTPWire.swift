import Glibc

/// One piece of work on RTP packets, again and again, and nothing else.
///
///     rtp-wire read --packets 100000 --turns 101
///
/// prints the nanoseconds that a packet took, one line a turn. All packets of a turn are in the processor's cache.
@main
struct RTPWire {
    static func main() throws {
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            print("usage: rtp-wire \(Work.allCases.map(\.rawValue).joined(separator: "|")) [--packets N] [--turns N]")
            exit(2)
        }
        var bench = Bench()
        var sum = 0
        for _ in 0..<options.turns {
            let begin = ContinuousClock.now
            sum &+= try bench.run(options.work, packets: options.packets)
            let duration = ContinuousClock.now - begin
            let nanoseconds = Double(duration.components.attoseconds) / 1e9 + Double(duration.components.seconds) * 1e9
            print(nanoseconds / Double(options.packets))
        }
        // Whoever looks at the result cannot have left out the work.
        if sum == 42 { print("the answer") }
    }
}

/// What stands on the command line.
private struct Options {
    var work: Work
    var packets = 100_000
    var turns = 1

    init?(_ arguments: ArraySlice<String>) {
        guard let name = arguments.first, let work = Work(rawValue: name), arguments.count % 2 == 1 else { return nil }
        self.work = work
        for index in stride(from: arguments.startIndex + 1, to: arguments.endIndex, by: 2) {
            guard let value = Int(arguments[index + 1]), value > 0 else { return nil }
            switch arguments[index] {
            case "--packets": packets = value
            case "--turns": turns = value
            default: return nil
            }
        }
    }
}
