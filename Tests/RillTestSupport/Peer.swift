/// Another program as a judge: what it makes we must read, what we make it must read.
package enum Peer: String {
    case ffmpeg, vpxenc, vpxdec

    package var isInstalled: Bool { Program(named: rawValue) != nil }

    /// Runs it to its end and gives its standard output; anything but success throws what it said.
    @discardableResult
    package func run(_ arguments: String...) throws -> [UInt8] {
        try run(arguments)
    }

    /// The same with a list of arguments.
    @discardableResult
    package func run(_ arguments: [String]) throws -> [UInt8] {
        guard let program = Program(named: rawValue) else { throw TestFailure("\(rawValue) is not installed") }
        let outcome = try program.run(arguments)
        guard outcome.status == 0 else { throw TestFailure("\(rawValue) \(arguments): \(outcome.errors)") }
        return outcome.output
    }
}
