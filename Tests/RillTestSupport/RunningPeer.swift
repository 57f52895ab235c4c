import Foundation

/// A peer that runs beside a test, never longer than it was allowed to.
package struct RunningPeer {
    private let name: String
    let program: RunningProgram

    init(_ name: String, _ program: RunningProgram) {
        self.name = name
        self.program = program
    }

    /// Waits for its end and gives its standard output; anything but success throws what it said.
    package func finish() throws -> [UInt8] {
        let outcome = try program.wait()
        guard outcome.status == 0 else { throw TestFailure("\(name): \(outcome.errors)") }
        return outcome.output
    }

    /// The same for a task: it blocks none of the few threads that all tasks share.
    package func finished() async throws -> [UInt8] {
        let outcome = try await program.finished()
        guard outcome.status == 0 else { throw TestFailure("\(name): \(outcome.errors)") }
        return outcome.output
    }

    /// Waits until a program on this machine listens on a UDP port of IPv4, for at most ten seconds.
    package static func waitUntilListening(port: UInt16) throws {
        for _ in 0..<1000 {
            if try isListened(at: port) { return }
            usleep(10_000)
        }
        throw TestFailure("nobody listens at port \(port)")
    }

    /// The same for a task: it blocks none of the few threads that all tasks share.
    package static func waitUntilListening(port: UInt16) async throws {
        for _ in 0..<1000 {
            if try isListened(at: port) { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw TestFailure("nobody listens at port \(port)")
    }

    private static func isListened(at port: UInt16) throws -> Bool {
        let digits = String(port, radix: 16, uppercase: true)
        let entry = ":" + String(repeating: "0", count: 4 - digits.count) + digits + " 00000000:0000"
        return String(decoding: try read("/proc/net/udp"), as: UTF8.self).contains(entry)
    }
}
