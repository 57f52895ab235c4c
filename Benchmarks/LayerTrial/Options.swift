import Rill

/// What stands on the command line: a verb, then names with their values.
struct Options {
    let verb: String
    let resolution: Resolution
    let rate: FrameRate
    /// How long the layer is; `nil` for as long as the clip.
    let seconds: Int?
    private let values: [String: String]

    init(_ arguments: [String]) throws {
        guard let verb = arguments.first, arguments.count % 2 == 1 else {
            throw WrongUse("expected a verb and pairs of --name and value")
        }
        var values: [String: String] = [:]
        for index in stride(from: 1, to: arguments.count, by: 2) {
            guard arguments[index].hasPrefix("--") else { throw WrongUse("\(arguments[index]) is no --name") }
            values[String(arguments[index].dropFirst(2))] = arguments[index + 1]
        }
        let parts = (values["layer"] ?? "").split(separator: "@")
        guard parts.count == 2, let rate = Int(parts[1]), rate > 0 else {
            throw WrongUse("--layer needs a size and a rate, such as 160x120@5")
        }
        self.verb = verb
        self.values = values
        self.resolution = try Resolution(notation: parts[0])
        self.rate = FrameRate(rate)
        self.seconds = values["seconds"].flatMap { Int($0) }
    }

    /// The value of that name, which has to be there.
    subscript(name: String) -> String {
        get throws {
            guard let value = values[name] else { throw WrongUse("--\(name) is missing") }
            return value
        }
    }

    func has(_ name: String) -> Bool { values[name] != nil }

    func number(_ name: String, atLeast least: Int = 1) throws -> Int {
        guard let number = Int(try self[name]), number >= least else {
            throw WrongUse("--\(name) is no number from \(least) up")
        }
        return number
    }

    var codec: VideoCodec {
        get throws {
            guard let codec = VideoCodec(builtIn: try self["codec"].uppercased()) else {
                throw WrongUse("--codec is vp8 or vp9")
            }
            return codec
        }
    }
}

/// The command line was not as it should be.
struct WrongUse: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
