import Foundation
import Glibc
import RillTestSupport

/// Chromium without a window, driven by its DevTools protocol over two pipes.
///
/// Its camera is a clip. It ends with the test.
final class ChromiumBrowser: BrowserPage {
    private let folder = TemporaryFolder()
    private let program: RunningProgram
    private let input: Int32
    private let output: Int32
    private var received: [UInt8] = []
    private var commandCount = 0
    private var session = ""

    /// Starts it, and opens an empty page that may use camera and peer connections.
    ///
    /// - Parameters:
    ///   - camera: a clip in Y4M; `nil` for the browser's own moving picture.
    ///   - hidesAddresses: whether pages that have no camera give names instead of addresses to their peers, as
    ///     browsers do unless they are told otherwise.
    ///   - origin: a site that may use the camera without HTTPS.
    ///   - launcher: what starts it, and the arguments: `nsenter` for another network.
    ///   - seconds: when it is stopped at the latest.
    init(
        camera: String? = nil, hidesAddresses: Bool = false, trusting origin: String? = nil, by launcher: [String] = [],
        limit seconds: Int = 120
    ) throws {
        let chromium = try existing(Program(named: Peer.chromium.rawValue))
        let (input, output) = (folder.path("in"), folder.path("out"))
        guard unsafe mkfifo(input, 0o600) == 0, unsafe mkfifo(output, 0o600) == 0 else {
            throw TestFailure("no pipes for chromium")
        }
        // Opened for both, a pipe waits for nobody.
        self.input = unsafe open(input, O_RDWR)
        self.output = unsafe open(output, O_RDONLY | O_NONBLOCK)
        // A file counts as a secure context, an empty page does not.
        try "<!DOCTYPE html><title>peer</title>".write(
            toFile: folder.path("page.html"), atomically: false, encoding: .utf8)
        var words = [
            "--headless=new", "--no-sandbox", "--no-first-run", "--disable-gpu", "--mute-audio",
            "--disable-background-networking", "--disable-component-update", "--disable-extensions",
            "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
            "--autoplay-policy=no-user-gesture-required", "--allow-loopback-in-peer-connection",
            "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
            "--disable-renderer-backgrounding",
            "--remote-debugging-pipe", "--user-data-dir=\(folder.path("profile"))",
        ]
        if !hidesAddresses { words.append("--disable-features=WebRtcHideLocalIpsWithMdns") }
        if let origin { words.append("--unsafely-treat-insecure-origin-as-secure=\(origin)") }
        if let camera { words.append("--use-file-for-fake-video-capture=\(camera)") }
        let shell = try existing(Program(named: "sh"))
        // The protocol's pipes are file descriptors 3 and 4.
        program = try shell.start(
            ["-c", "exec \"$0\" \"$@\" 3<'\(input)' 4>'\(output)'"] + launcher + [chromium.path] + words, limit: seconds
        )
        let target = try command("Target.createTarget", ["url": "file://\(folder.path("page.html"))"])
        let attached = try command("Target.attachToTarget", ["targetId": target["targetId"] ?? "", "flatten": true])
        session = attached["sessionId"] as? String ?? ""
        _ = try command("Runtime.enable", [:])
        // The page is another process, which takes a moment.
        while try evaluate("document.title + document.readyState") as? String != "peercomplete" { usleep(20_000) }
    }

    static func start(limit seconds: Int) throws -> ChromiumBrowser { try ChromiumBrowser(limit: seconds) }

    /// Ends it at once, as a crash does: nothing is said to its peers.
    func kill() throws { try program.kill() }

    deinit {
        _ = try? send("Browser.close", [:])
        Glibc.close(input)
        Glibc.close(output)
    }

    /// Runs JavaScript in the page, and returns its value: what a promise is fulfilled with.
    ///
    /// - Parameters:
    ///   - script: an expression.
    ///   - seconds: how long it may take.
    @discardableResult
    func evaluate(_ script: String, within seconds: Double = 30) throws -> Any? {
        let result = try command(
            "Runtime.evaluate", ["expression": script, "awaitPromise": true, "returnByValue": true], within: seconds)
        if let details = result["exceptionDetails"] as? [String: Any] {
            let exception = details["exception"] as? [String: Any]
            throw TestFailure("chromium: \(exception?["description"] ?? details["text"] ?? details)")
        }
        return (result["result"] as? [String: Any])?["value"]
    }

    // MARK: Pages

    /// Runs a script before those of each page that is opened from now on.
    func runBefore(_ script: String) throws {
        _ = try command("Page.addScriptToEvaluateOnNewDocument", ["source": script])
    }

    /// Opens another page, and waits until it is loaded.
    func navigate(to url: String) throws {
        _ = try command("Page.enable", [:])
        let result = try command("Page.navigate", ["url": url])
        if let error = result["errorText"] { throw TestFailure("chromium: \(url): \(error)") }
        let isOpen = "location.href === \(literal(url)) && document.readyState === 'complete'"
        while try evaluate(isOpen) as? Bool != true { usleep(10_000) }
    }

    /// Opens an empty page in front of this one, which is hidden then.
    func hide() throws {
        let page = session
        session = ""
        defer { session = page }
        _ = try command("Target.createTarget", ["url": "about:blank"])
    }

    /// Shows the page again.
    func show() throws { _ = try command("Page.bringToFront", [:]) }

    /// Shows the page as on a phone of that size, in CSS pixels.
    func resize(width: Int, height: Int) throws {
        _ = try command(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": true])
    }

    /// Clicks an element with the mouse, where a person would see it.
    func click(_ selector: String) throws {
        let place = try object(
            """
            (() => {
              const element = document.querySelector(\(literal(selector)));
              element.scrollIntoView({block: "center"});
              const {x, y, width, height} = element.getBoundingClientRect();
              return {x: x + width / 2, y: y + height / 2};
            })()
            """)
        for type in ["mousePressed", "mouseReleased"] {
            var parameters = place
            (parameters["type"], parameters["button"], parameters["clickCount"]) = (type, "left", 1)
            _ = try command("Input.dispatchMouseEvent", parameters)
        }
    }

    /// Takes a picture of the page, in PNG.
    func screenshot() throws -> [UInt8] {
        let result = try command("Page.captureScreenshot", ["format": "png"])
        guard let data = (result["data"] as? String).flatMap({ Data(base64Encoded: $0) }) else {
            throw TestFailure("no screenshot")
        }
        return Array(data)
    }

    // MARK: The protocol

    private func send(_ method: String, _ parameters: [String: Any]) throws -> Int {
        commandCount += 1
        var message: [String: Any] = ["id": commandCount, "method": method, "params": parameters]
        if !session.isEmpty { message["sessionId"] = session }
        var bytes = Array(try JSONSerialization.data(withJSONObject: message)) + [0]
        while !bytes.isEmpty {
            let count = unsafe Glibc.write(input, bytes, bytes.count)
            guard count > 0 else { throw TestFailure("chromium takes no commands") }
            bytes.removeFirst(count)
        }
        return commandCount
    }

    private func command(
        _ method: String, _ parameters: [String: Any], within seconds: Double = 30
    ) throws -> [String: Any] {
        let id = try send(method, parameters)
        let end = ContinuousClock.now + .seconds(seconds)
        while true {
            guard let message = try message(before: end) else {
                throw TestFailure(
                    "chromium has not answered \(method) within \(seconds) s: \(program.errorsSoFar.suffix(500))")
            }
            guard message["id"] as? Int == id else { continue }
            if let error = message["error"] { throw TestFailure("chromium: \(method): \(error)") }
            return message["result"] as? [String: Any] ?? [:]
        }
    }

    /// The next message; `nil` if none comes until then.
    private func message(before end: ContinuousClock.Instant) throws -> [String: Any]? {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            if let place = received.firstIndex(of: 0) {
                let data = Data(received[..<place])
                received.removeSubrange(...place)
                return try JSONSerialization.jsonObject(with: data) as? [String: Any]
            }
            guard ContinuousClock.now < end, !program.hasEnded else { return nil }
            let count = unsafe Glibc.read(output, &chunk, chunk.count)
            if count > 0 { received += chunk[..<count] } else { usleep(2000) }
        }
    }
}
