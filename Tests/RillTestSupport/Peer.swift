/// Another program as a judge: what it makes we must read, what we make it must read.
package enum Peer: String {
    case ffmpeg, vpxenc, vpxdec
    case gstreamer = "gst-launch-1.0"
    case tshark, editcap, mergecap, text2pcap

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

    /// Starts it, to run beside the test for at most `limit` seconds.
    package func start(_ arguments: [String], limit: Int) throws -> RunningPeer {
        guard let program = Program(named: rawValue) else { throw TestFailure("\(rawValue) is not installed") }
        return try RunningPeer(program.path, arguments, limit: limit)
    }
}
