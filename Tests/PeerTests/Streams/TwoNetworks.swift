import Foundation
import RillTestSupport

/// Two networks of their own, of a server and of a client, with a link between them that can be taken down.
///
/// They are namespaces of the kernel, and are gone with the test.
struct TwoNetworks {
    /// The address of the server.
    static let server = "10.77.0.1"

    private let holders: [RunningProgram]
    private let processes: [String]

    /// Whether the tests may make networks, which takes the rights of root.
    static let arePossible =
        Program(named: "nsenter") != nil
        && (try? Program(named: "unshare")?.run(["-n", "true"]).status) == 0

    init() async throws {
        let unshare = try existing(Program(named: "unshare"))
        holders = try (0..<2).map { _ in
            try unshare.start(["-n", "sh", "-c", "ip link set lo up; echo $$; exec sleep 600"])
        }
        var processes: [String] = []
        for holder in holders {
            try await waitUntil("a namespace: \(holder.errorsSoFar)") { holder.outputSoFar.hasSuffix("\n") }
            processes.append(holder.outputSoFar.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        self.processes = processes
        try await run(
            inServers: true,
            """
            ip link add link0 type veth peer name link1 netns \(processes[1])
            ip addr add \(Self.server)/24 dev link0
            ip link set link0 up
            """)
        try await setLink(isUp: true, with: "ip addr add 10.77.0.2/24 dev link1\n")
    }

    /// What starts a program in one of the networks: `nsenter` and its arguments.
    func launcher(inServers: Bool) throws -> [String] {
        [try existing(Program(named: "nsenter")).path, "-t", processes[inServers ? 0 : 1], "-n"]
    }

    /// Starts a program in one of them.
    func start(_ program: Program, _ arguments: [String], inServers: Bool) throws -> RunningProgram {
        let words = try launcher(inServers: inServers)
        return try existing(Program(path: words[0])).start(Array(words.dropFirst()) + [program.path] + arguments)
    }

    /// Runs lines of a shell, and returns what they print.
    @discardableResult
    func run(inServers: Bool, _ lines: String) async throws -> String {
        let shell = try existing(Program(named: "sh"))
        let outcome = try await start(shell, ["-ec", "PATH=$PATH:/usr/sbin:/sbin\n" + lines], inServers: inServers)
            .finished()
        guard outcome.status == 0 else { throw TestFailure("\(lines): \(outcome.errors)") }
        return outcome.text
    }

    /// Adds a second link between them.
    func addLink(server: String, client: String) async throws {
        try await run(
            inServers: true,
            """
            ip link add link2 type veth peer name link3 netns \(processes[1])
            ip addr add \(server) dev link2
            ip link set link2 up
            """)
        try await run(inServers: false, "ip addr add \(client) dev link3\nip link set link3 up")
    }

    /// Takes the client's end of the link down, or up again.
    func setLink(isUp: Bool, with lines: String = "") async throws {
        let route = isUp ? "\nip route replace default via \(Self.server)" : ""
        try await run(inServers: false, lines + "ip link set link1 \(isUp ? "up" : "down")" + route)
    }
}
