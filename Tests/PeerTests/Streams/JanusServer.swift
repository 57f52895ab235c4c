import Foundation
import FoundationNetworking
import RillTestSupport

/// Janus with VideoRoom, and the bridge of ``JanusBridgeScript`` that makes it an endpoint of WHIP.
final class JanusServer {
    private let folder = TemporaryFolder()
    private let janus: RunningProgram
    private let bridge: RunningProgram
    private let port: Int

    static var isInstalled: Bool { Program(named: "janus") != nil && plugins != nil }

    /// Where Debian has its plugins: below the folder of the machine's architecture.
    private static var plugins: String? {
        (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib"))?.map { "/usr/lib/\($0)/janus" }
            .first { FileManager.default.fileExists(atPath: $0) }
    }

    init() async throws {
        let (api, plugins) = (try PeerEnd.freePort(), try existing(JanusServer.plugins))
        guard let program = Program(named: "janus"), let python = Program(path: "/usr/bin/python3") else {
            throw TestFailure("janus or python3 is not installed")
        }
        // Folders with one plugin each: others open ports that were not asked for.
        for (kind, name) in [("plugins", "libjanus_videoroom.so"), ("transports", "libjanus_http.so")] {
            try FileManager.default.createDirectory(atPath: folder.path(kind), withIntermediateDirectories: false)
            try FileManager.default.createSymbolicLink(
                atPath: folder.path("\(kind)/\(name)"), withDestinationPath: "\(plugins)/\(kind)/\(name)")
        }
        let files = [
            "janus.jcfg": """
            general: {
              plugins_folder = "\(folder.path("plugins"))"
              transports_folder = "\(folder.path("transports"))"
            }
            """,
            "janus.transport.http.jcfg": """
            general: { base_path = "/janus" http = true port = \(api) ip = "127.0.0.1" https = false }
            admin: { admin_http = false admin_https = false }
            """,
            "janus.plugin.videoroom.jcfg": "general: { }",
        ]
        for (name, text) in files { try write(Array((text + "\n").utf8), to: folder.path(name)) }
        janus = try program.start(["-C", folder.path("janus.jcfg"), "-F", folder.root, "-o"], limit: 120)
        let url = "http://127.0.0.1:\(api)/janus"
        try await waitUntil("Janus answers") { (try? await JanusServer.send("GET", url + "/info")) != nil }
        let bridge = try python.start(["-u", "-c", JanusBridgeScript.text, url, "0"], limit: 120)
        try await waitUntil("the bridge listens: \(bridge.errorsSoFar)") { bridge.outputSoFar.hasSuffix("\n") }
        self.bridge = bridge
        port = try existing(Int(bridge.outputSoFar.dropLast()))
    }

    /// The endpoint of WHIP.
    var endpoint: String { "http://127.0.0.1:\(port)/whip/room" }

    /// Janus's offer to a viewer.
    func offer() async throws -> String { try await send("GET", "viewer") }
    /// The viewer's answer.
    func accept(_ answer: String) async throws { _ = try await send("PUT", "viewer", answer) }
    /// Selects the layer that the viewer gets, by its number.
    func select(_ substream: Int) async throws { _ = try await send("PUT", "substream", "\(substream)") }

    private func send(_ method: String, _ path: String, _ body: String? = nil) async throws -> String {
        try await JanusServer.send(method, "http://127.0.0.1:\(port)/\(path)", body)
    }

    private static func send(_ method: String, _ url: String, _ body: String? = nil) async throws -> String {
        var request = URLRequest(url: try existing(URL(string: url)))
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        let (data, response) = try await URLSession.shared.data(for: request)
        let text = String(decoding: data, as: UTF8.self)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else {
            throw TestFailure("\(method) \(url): \(response): \(text)")
        }
        return text
    }
}
