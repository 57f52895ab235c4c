import Foundation
import Glibc
import RillTestSupport

/// Chromium without a window, with as many pages as a test opens, driven by its DevTools protocol over two pipes.
///
/// Each page has a browser context of its own: no cookies, storage or permissions are shared. It ends with the test.
final class Browser {
    private let folder = TemporaryFolder()
    private let program: RunningProgram
    private let input: Int32
    private let output: Int32
    private var received: [UInt8] = []
    private var searched = 0
    private var commandCount = 0
    /// What its pages need: it lives as long as they do.
    var companion: AnyObject?
    /// Files that are served in place of the server's own, while one works on them.
    private let pages = ProcessInfo.processInfo.environment["RILL_PAGES"]

    /// - Parameters:
    ///   - arguments: options of Chromium besides the usual ones.
    ///   - seconds: when it is stopped at the latest.
    init(_ arguments: [String] = [], limit seconds: Int = 120) throws {
        let chromium = try existing(Program(named: Peer.chromium.rawValue))
        let (input, output) = (folder.path("in"), folder.path("out"))
        guard unsafe mkfifo(input, 0o600) == 0, unsafe mkfifo(output, 0o600) == 0 else {
            throw TestFailure("no pipes for chromium")
        }
        // Opened for both, a pipe waits for nobody.
        self.input = unsafe Glibc.open(input, O_RDWR)
        self.output = unsafe Glibc.open(output, O_RDONLY | O_NONBLOCK)
        let words =
            [
                "--headless=new", "--no-sandbox", "--no-first-run", "--disable-gpu", "--mute-audio",
                "--disable-background-networking", "--disable-component-update", "--disable-extensions",
                "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
                "--autoplay-policy=no-user-gesture-required", "--allow-loopback-in-peer-connection",
                "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
                "--disable-renderer-backgrounding", "--hide-scrollbars", "--enable-unsafe-swiftshader",
                "--remote-debugging-pipe", "--user-data-dir=\(folder.path("profile"))",
                // A page that is answered by RILL_PAGES has no address, and may ask loopback all the same.
                "--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets,"
                    + "BlockInsecurePrivateNetworkRequests,WebRtcHideLocalIpsWithMdns",
            ] + arguments
        let shell = try existing(Program(named: "sh"))
        // The protocol's pipes are file descriptors 3 and 4.
        program = try shell.start(
            ["-c", "exec \"$0\" \"$@\" 3<'\(input)' 4>'\(output)'", chromium.path] + words, limit: seconds)
    }

    deinit {
        // It may have ended already.
        _ = try? send("Browser.close", [:], to: "")
        Glibc.close(input)
        Glibc.close(output)
    }

    /// Opens a page.
    ///
    /// - Parameters:
    ///   - url: its address.
    ///   - size: of its view, in CSS pixels.
    ///   - scripts: what runs before the scripts of the page.
    ///   - denied: permissions that it is refused, as `videoCapture`.
    ///   - features: media features of CSS, as `["prefers-color-scheme": "dark"]`.
    func open(
        _ url: String, size: (width: Int, height: Int) = (1280, 720), scripts: [String] = [],
        features: [String: String] = [:], waits: Bool = true
    ) throws -> Page {
        let context = try command("Target.createBrowserContext", [:])["browserContextId"] ?? ""
        let target = try command(
            "Target.createTarget", ["url": "about:blank", "browserContextId": context, "newWindow": true])
        let id = target["targetId"] as? String ?? ""
        let attached = try command("Target.attachToTarget", ["targetId": id, "flatten": true])
        let page = Page(in: self, target: id, session: attached["sessionId"] as? String ?? "")
        for domain in ["Page", "Runtime", "DOM", "Accessibility"] { try page.command("\(domain).enable") }
        try page.command("Emulation.setFocusEmulationEnabled", ["enabled": true])
        try page.resize(size.width, size.height)
        if !features.isEmpty { try page.prefer(features) }
        for script in scripts { try page.command("Page.addScriptToEvaluateOnNewDocument", ["source": script]) }
        if pages != nil { try page.command("Fetch.enable", ["patterns": [["urlPattern": "http://*"]]]) }
        try page.navigate(to: url, waits: waits)
        return page
    }

    // MARK: The protocol

    private func send(_ method: String, _ parameters: [String: Any], to session: String) throws -> Int {
        commandCount += 1
        var message: [String: Any] = ["id": commandCount, "method": method, "params": parameters]
        if !session.isEmpty { message["sessionId"] = session }
        var bytes = Array(try JSONSerialization.data(withJSONObject: message))[...] + [0]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(input, $0.baseAddress, $0.count) }
            guard count > 0 else { throw TestFailure("chromium takes no commands") }
            bytes = bytes.dropFirst(count)
        }
        return commandCount
    }

    /// Runs a command of the protocol, in a page's session or in the browser's own.
    @discardableResult
    func command(
        _ method: String, _ parameters: [String: Any], to session: String = "", within seconds: Double = 30
    ) throws -> [String: Any] {
        let id = try send(method, parameters, to: session)
        let end = ContinuousClock.now + .seconds(seconds)
        while true {
            guard let message = try message(before: end) else {
                throw TestFailure(
                    "chromium has not answered \(method) within \(seconds) s: \(program.errorsSoFar.suffix(500))")
            }
            guard message["id"] as? Int == id else {
                if message["method"] as? String == "Fetch.requestPaused" { try fulfill(message) }
                continue
            }
            if let error = message["error"] { throw TestFailure("chromium: \(method): \(error)") }
            return message["result"] as? [String: Any] ?? [:]
        }
    }

    /// Answers a request with the file of `RILL_PAGES`, if there is one of that name.
    private func fulfill(_ message: [String: Any]) throws {
        let parameters = message["params"] as? [String: Any] ?? [:]
        let session = message["sessionId"] as? String ?? ""
        let id = parameters["requestId"] ?? ""
        let url = (parameters["request"] as? [String: Any])?["url"] as? String ?? ""
        var name = URL(string: url)?.lastPathComponent ?? ""
        if name == "room" { name = "room.html" }
        let types = ["js": "text/javascript", "css": "text/css", "html": "text/html; charset=utf-8"]
        let type = types[String(name.split(separator: ".").last ?? "")]
        if let pages, let type, let data = FileManager.default.contents(atPath: "\(pages)/\(name)") {
            let policy = "default-src 'self'; img-src 'self' blob:; frame-ancestors 'self'; base-uri 'none'"
            let headers = [
                ["name": "Content-Type", "value": type], ["name": "Content-Security-Policy", "value": policy],
            ]
            let answer: [String: Any] = [
                "requestId": id, "responseCode": 200, "responseHeaders": headers, "body": data.base64EncodedString(),
            ]
            _ = try send("Fetch.fulfillRequest", answer, to: session)
        } else {
            _ = try send("Fetch.continueRequest", ["requestId": id], to: session)
        }
    }

    /// The next message; `nil` if none comes until then.
    private func message(before end: ContinuousClock.Instant) throws -> [String: Any]? {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            if let place = received[searched...].firstIndex(of: 0) {
                let data = Data(received[..<place])
                received.removeSubrange(...place)
                searched = 0
                return try JSONSerialization.jsonObject(with: data) as? [String: Any]
            }
            searched = received.count
            guard ContinuousClock.now < end, !program.hasEnded else { return nil }
            let count = unsafe Glibc.read(output, &chunk, chunk.count)
            if count > 0 { received += chunk[..<count] } else { usleep(1000) }
        }
    }
}
