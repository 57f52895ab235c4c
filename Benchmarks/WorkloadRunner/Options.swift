/// What stands on the command line: a verb, for `run` the workload, and names with their values.
struct Options {
    enum Verb {
        case prepare
        case list
        case run(String)
    }

    let verb: Verb
    let folder: String
    let clip: String?
    /// How often the work is done in a turn; the workload's own count where nobody says.
    let count: Int?
    let turns: Int
    /// Milliseconds that a turn shall take, in the place of a count.
    let turnTime: Int?

    init(_ arguments: [String]) throws(WrongUse) {
        var rest = arguments[...]
        switch rest.popFirst() {
        case "prepare": verb = .prepare
        case "list": verb = .list
        case "run":
            guard let name = rest.popFirst() else { throw WrongUse("run: expected the name of a workload") }
            verb = .run(name)
        default: throw WrongUse("expected prepare, list or run NAME")
        }
        var values: [String: String] = [:]
        while let name = rest.popFirst() {
            guard ["--folder", "--clip", "--count", "--turns", "--turn-time"].contains(name) else {
                throw WrongUse("no option \(name)")
            }
            guard let value = rest.popFirst() else { throw WrongUse("\(name) has no value") }
            values[name] = value
        }
        guard let folder = values["--folder"] else { throw WrongUse("--folder is missing") }
        self.folder = folder
        clip = values["--clip"]
        count = try Options.number("--count", in: values)
        turns = try Options.number("--turns", in: values) ?? 1
        turnTime = try Options.number("--turn-time", in: values)
    }

    private static func number(_ name: String, in values: [String: String]) throws(WrongUse) -> Int? {
        guard let text = values[name] else { return nil }
        guard let number = Int(text), number > 0 else { throw WrongUse("\(name) \(text) is no number from 1 up") }
        return number
    }
}

/// The command line was not as it should be.
struct WrongUse: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
