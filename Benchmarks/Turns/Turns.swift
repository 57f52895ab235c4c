import Glibc

/// A benchmark that does one kind of work again and again, and nothing else.
///
///     NAME WORK [--COUNTED N] [--turns N]
///
/// It prints the nanoseconds that one of the things counted took, one line a turn.
public struct Turns<Work: RawRepresentable<String> & CaseIterable> {
    private let work: Work
    private let count: Int
    private let turns: Int

    /// What the command line asks for; where it asks for nothing that there is, it says how to and ends the program.
    ///
    /// - Parameters:
    ///   - counted: what is counted: `packets`, `pictures`.
    ///   - count: how many of them a turn has where the command line does not say.
    public init(counting counted: String, _ count: Int) {
        guard let turns = Turns(Array(CommandLine.arguments.dropFirst()), counted, count) else {
            let name = CommandLine.arguments[0].split(separator: "/").last ?? ""
            print("usage: \(name) \(Work.allCases.map(\.rawValue).joined(separator: "|")) [--\(counted) N] [--turns N]")
            exit(2)
        }
        self = turns
    }

    private init?(_ arguments: [String], _ counted: String, _ defaultCount: Int) {
        guard let name = arguments.first, let work = Work(rawValue: name), arguments.count % 2 == 1 else { return nil }
        var (count, turns) = (defaultCount, 1)
        for index in stride(from: 1, to: arguments.count, by: 2) {
            guard let value = Int(arguments[index + 1]), value > 0 else { return nil }
            switch arguments[index] {
            case "--\(counted)": count = value
            case "--turns": turns = value
            default: return nil
            }
        }
        (self.work, self.count, self.turns) = (work, count, turns)
    }

    /// Has `body` do the work for as many things as it is given, once a turn, and prints what one of them took.
    public func run(_ body: (Work, Int) throws -> Void) rethrows {
        for _ in 0..<turns {
            let begin = ContinuousClock.now
            try body(work, count)
            let duration = ContinuousClock.now - begin
            let nanoseconds = Double(duration.components.attoseconds) / 1e9 + Double(duration.components.seconds) * 1e9
            print(nanoseconds / Double(count))
        }
    }
}
