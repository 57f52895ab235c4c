import Glibc
import RillTestSupport

/// A server with a room, and a browser with the pages of those who are in it.
final class Meeting {
    let server: RoomServer
    let browser: Browser
    private var count = 0

    /// - Parameters:
    ///   - options: of `rill serve`.
    ///   - arguments: of Chromium.
    init(_ options: [String] = [], chromium arguments: [String] = [], limit seconds: Int = 300) throws {
        server = try RoomServer(options, limit: seconds)
        browser = try Browser(arguments, limit: seconds)
        browser.companion = server
    }

    /// Opens the lobby, with a camera that has the next clip: 0, 1, 2 …
    func lobby(
        _ query: String = "room=lobby", size: (width: Int, height: Int) = (1280, 720), denies: Bool = false,
        scripts: [String] = [], features: [String: String] = [:], waits: Bool = true
    ) throws -> Page {
        defer { count += 1 }
        return try browser.open(
            server.url("room?\(query)"), size: size, scripts: [Probe.script(clip: count % 8, denies: denies)] + scripts,
            features: features, waits: waits)
    }

    /// Opens the page of a member and waits until it is in the room.
    func join(
        _ name: String, room: String = "lobby", _ query: String = "", size: (width: Int, height: Int) = (1280, 720),
        denies: Bool = false, scripts: [String] = [], features: [String: String] = [:]
    ) throws -> Page {
        let page = try lobby(
            "room=\(room)&name=\(name)&start\(query)", size: size, denies: denies, scripts: scripts, features: features)
        _ = try page.element("button", "Leave")
        return page
    }

    /// Members with small pictures and a small view, so that many fit on a machine.
    func members(_ names: [String], _ query: String = "") throws -> [Page] {
        try names.map { try join($0, query, size: (320, 240), scripts: Probe.small) }
    }

    /// Members of `rill join`: bots that publish the portrait scene.
    func bots(_ count: Int, room: String = "lobby", _ options: [String] = []) throws -> RunningProgram {
        let program = try Program(builtAs: "rill").start(
            ["join", server.url(""), "--room", room, "--count", "\(count)"] + options, limit: 300)
        return program
    }
}

/// `rill serve` beside a test. It can be stopped, killed, and started again on the same ports.
final class RoomServer {
    private(set) var port = 0
    private let options: [String]
    private let limit: Int
    private var program: RunningProgram?
    private let mediaPort: UInt16

    init(_ options: [String] = [], limit: Int = 120) throws {
        (self.options, self.limit) = (options, limit)
        mediaPort = try freePort()
        try start()
    }

    /// Starts it, on the ports that it had, and waits until clients can connect.
    func start() throws {
        let program = try Program(builtAs: "rill").start(
            ["serve", "--http", "\(port)", "--media", "\(mediaPort)"] + options, limit: limit)
        self.program = program
        try wait("a server: \(program.errorsSoFar)", within: 60) {
            program.outputSoFar.contains("\n") || program.hasEnded
        }
        // Listening on http://127.0.0.1:8080, for this machine only …
        let digits = program.outputSoFar.split(separator: "127.0.0.1:").dropFirst().first?.prefix { $0.isNumber }
        guard let port = digits.flatMap({ Int($0) }) else { throw TestFailure("no server: \(program.errorsSoFar)") }
        self.port = port
    }

    /// Kills it at once.
    func kill() throws {
        try program?.kill()
        _ = try program?.wait()
    }

    /// Stops it, as a network that is cut: it neither sends nor receives until ``resume()``.
    func pause() throws { try program?.send(SIGSTOP) }

    func resume() throws { try program?.send(SIGCONT) }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

    var log: String { program?.errorsSoFar ?? "" }
}

/// A UDP port of loopback that nobody has.
private func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { place in
        unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            unsafe bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
        }
    }
    guard isBound else { throw TestFailure("no port") }
    return UInt16(bigEndian: address.sin_port)
}
