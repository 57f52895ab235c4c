import Foundation
import Glibc
import RillTestSupport

/// Firefox without a window, driven by WebDriver BiDi. It ends with the test.
///
/// Its camera is a picture that it makes itself. Without a route in its network it gathers no candidates at all.
final class FirefoxBrowser: BrowserPage {
    private let folder = TemporaryFolder()
    private let program: RunningProgram
    private let socket: WebSocket
    private var commandCount = 0
    private var context = ""

    private static let preferences: [String: any Sendable] = [
        "media.navigator.streams.fake": true, "media.navigator.permission.disabled": true,
        "media.peerconnection.ice.loopback": true, "media.peerconnection.ice.obfuscate_host_addresses": false,
        "media.autoplay.default": 0, "media.autoplay.blocking_policy": 0, "media.gmp-manager.updateEnabled": false,
        "app.update.enabled": false, "browser.shell.checkDefaultBrowser": false,
        "datareporting.policy.dataSubmissionEnabled": false, "toolkit.telemetry.enabled": false,
    ]

    static func start(limit seconds: Int) throws -> FirefoxBrowser { try FirefoxBrowser(limit: seconds) }

    /// Starts it, and opens an empty page that may use camera and peer connections.
    init(limit seconds: Int) throws {
        var firefox = try existing(Program(named: Peer.firefox.rawValue))
        // It writes into its home besides its profile.
        firefox.environment = ["HOME": folder.root, "MOZ_CRASHREPORTER_DISABLE": "1"]
        let lines = try FirefoxBrowser.preferences.map { name, value in
            let data = try JSONSerialization.data(withJSONObject: [value])
            return "user_pref(\"\(name)\", \(String(decoding: data, as: UTF8.self).dropFirst().dropLast()));\n"
        }
        try lines.joined().write(toFile: folder.path("user.js"), atomically: false, encoding: .utf8)
        try "<!DOCTYPE html><title>peer</title>".write(
            toFile: folder.path("page.html"), atomically: false, encoding: .utf8)
        program = try firefox.start(
            ["--headless", "--no-remote", "--profile", folder.root, "--remote-debugging-port", "0", "about:blank"],
            limit: seconds)
        socket = try WebSocket(port: FirefoxBrowser.port(of: program), path: "/session")
        _ = try command("session.new", ["capabilities": [String: Any]()])
        let tree = try command("browsingContext.getTree", [:])
        context = ((tree["contexts"] as? [[String: Any]])?.first?["context"] as? String) ?? ""
        let page = "file://\(folder.path("page.html"))"
        _ = try command("browsingContext.navigate", ["context": context, "url": page, "wait": "complete"])
    }

    deinit { _ = try? command("browser.close", [:], within: 5) }

    /// It says at which port it listens.
    private static func port(of program: RunningProgram) throws -> UInt16 {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end, !program.hasEnded {
            let parts = program.errorsSoFar.components(separatedBy: "BiDi listening on ws://127.0.0.1:")
            if parts.count > 1, parts[1].contains("\n"), let port = UInt16(parts[1].prefix { $0.isNumber }) {
                return port
            }
            usleep(20_000)
        }
        throw TestFailure("firefox does not listen: \(program.errorsSoFar.suffix(500))")
    }

    @discardableResult
    func evaluate(_ script: String, within seconds: Double) throws -> Any? {
        // As JSON, so that any value arrives as it is.
        let expression = "(async () => JSON.stringify([await (0, eval)(\(literal(script)))]))()"
        let result = try command(
            "script.evaluate",
            [
                "expression": expression, "target": ["context": context], "awaitPromise": true,
                "resultOwnership": "none",
            ], within: seconds)
        guard let text = (result["result"] as? [String: Any])?["value"] as? String else {
            let details = result["exceptionDetails"] as? [String: Any]
            throw TestFailure("firefox: \(details?["text"] ?? result): \(script.prefix(60))")
        }
        return (try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [Any])?.first.flatMap {
            $0 is NSNull ? nil : $0
        }
    }

    private func command(
        _ method: String, _ parameters: [String: Any], within seconds: Double = 30
    ) throws -> [String: Any] {
        commandCount += 1
        let message: [String: Any] = ["id": commandCount, "method": method, "params": parameters]
        try socket.send(String(decoding: JSONSerialization.data(withJSONObject: message), as: UTF8.self))
        let end = ContinuousClock.now + .seconds(seconds)
        while let text = try socket.receive(before: end) {
            let answer = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
            guard answer["id"] as? Int == commandCount else { continue }
            guard answer["type"] as? String == "success" else { throw TestFailure("firefox: \(method): \(text)") }
            return answer["result"] as? [String: Any] ?? [:]
        }
        throw TestFailure("firefox has not answered \(method) within \(seconds) s")
    }
}
