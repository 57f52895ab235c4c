import Foundation
import RillTestSupport

/// A page of a ``Browser``, used as a person would: by roles and names, mouse and keys.
final class Page {
    private let browser: Browser
    private let target: String
    private let session: String

    init(in browser: Browser, target: String, session: String) {
        (self.browser, self.target, self.session) = (browser, target, session)
    }

    @discardableResult
    func command(
        _ method: String, _ parameters: [String: Any] = [:], within seconds: Double = 30
    ) throws -> [String: Any] {
        try browser.command(method, parameters, to: session, within: seconds)
    }

    // MARK: The view

    /// Opens an address, and waits until it is loaded.
    func navigate(to url: String, waits: Bool = true) throws {
        let result = try command("Page.navigate", ["url": url])
        if let error = result["errorText"] { throw TestFailure("chromium: \(url): \(error)") }
        guard waits else { return }
        while try evaluate("location.href !== 'about:blank' && document.readyState === 'complete'") as? Bool != true {
            usleep(10_000)
        }
    }

    /// Shows the page in a view of that size, in CSS pixels.
    func resize(_ width: Int, _ height: Int) throws {
        try command(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false])
    }

    /// Sets media features of CSS, as `["prefers-color-scheme": "dark"]`.
    func prefer(_ features: [String: String]) throws {
        try command(
            "Emulation.setEmulatedMedia", ["features": features.map { ["name": $0.key, "value": $0.value] }])
    }

    /// Closes it, as its user does.
    func close() throws { try browser.command("Target.closeTarget", ["targetId": target]) }

    /// Opens an empty page in front of this one, which is hidden then.
    func hide() throws {
        let info = try browser.command("Target.getTargetInfo", ["targetId": target])["targetInfo"] as? [String: Any]
        try command("Emulation.setFocusEmulationEnabled", ["enabled": false])
        try browser.command(
            "Target.createTarget", ["url": "about:blank", "browserContextId": info?["browserContextId"] ?? ""])
    }

    /// Ends it at once: nothing is said to its peers.
    /// A page that has crashed never answers the command.
    func crash() { _ = try? command("Page.crash", within: 1) }

    /// Takes a picture of the page, in PNG.
    func screenshot() throws -> [UInt8] {
        let result = try command("Page.captureScreenshot", ["format": "png"])
        guard let data = (result["data"] as? String).flatMap({ Data(base64Encoded: $0) }) else {
            throw TestFailure("no screenshot")
        }
        return Array(data)
    }

    // MARK: JavaScript

    /// Runs JavaScript in the page, and returns its value: what a promise is fulfilled with.
    @discardableResult
    func evaluate(_ script: String, within seconds: Double = 30) throws -> Any? {
        let parameters: [String: Any] = [
            "expression": script, "awaitPromise": true, "returnByValue": true, "userGesture": true,
        ]
        return try value(of: command("Runtime.evaluate", parameters, within: seconds))
    }

    /// The value of an expression, decoded.
    func read<Value: Decodable>(_ script: String, as type: Value.Type = Value.self) throws -> Value {
        let text = try evaluate("(async () => JSON.stringify([await (\(script))]))()") as? String ?? "[null]"
        guard let value = try JSONDecoder().decode([Value].self, from: Data(text.utf8)).first else {
            throw TestFailure("\(script) has no value")
        }
        return value
    }

    private func value(of result: [String: Any]) throws -> Any? {
        if let details = result["exceptionDetails"] as? [String: Any] {
            let exception = details["exception"] as? [String: Any]
            throw TestFailure("chromium: \(exception?["description"] ?? details["text"] ?? details)")
        }
        return (result["result"] as? [String: Any])?["value"]
    }

    // MARK: Elements

    /// The elements of a role that a screen reader finds, in the order of the page; hidden ones are not found.
    ///
    /// - Parameter name: what their accessible name is, or begins with, before a comma; `nil` for any.
    func all(_ role: String, _ name: String? = nil) throws -> [Element] {
        let root = try command("DOM.getDocument", ["depth": 0])["root"] as? [String: Any]
        let found = try command("Accessibility.queryAXTree", ["nodeId": root?["nodeId"] ?? 0, "role": role])
        return (found["nodes"] as? [[String: Any]] ?? []).compactMap { node in
            guard node["ignored"] as? Bool != true, let id = node["backendDOMNodeId"] as? Int else { return nil }
            let own = (node["name"] as? [String: Any])?["value"] as? String ?? ""
            guard name == nil || own == name || own.hasPrefix("\(name ?? ""),") else { return nil }
            let properties = (node["properties"] as? [[String: Any]] ?? []).compactMap { property in
                (property["name"] as? String).map { ($0, (property["value"] as? [String: Any])?["value"]) }
            }
            let value = (node["value"] as? [String: Any])?["value"]
            return Element(
                page: self, node: id, role: role, name: own, value: value.map { "\($0)" } ?? "",
                properties: Dictionary(properties) { $1 }.compactMapValues { $0.map { "\($0)" } })
        }
    }

    /// Whether there is one.
    func has(_ role: String, _ name: String? = nil) throws -> Bool { try !all(role, name).isEmpty }

    /// The one element of that role and name: waits for it.
    func element(_ role: String, _ name: String? = nil, within seconds: Double = 30) throws -> Element {
        var found: [Element] = []
        try wait("\(role) \(name ?? "")\n\(try text())", within: seconds) {
            found = try all(role, name)
            return !found.isEmpty
        }
        guard let element = found.first else { throw TestFailure("no \(role) \(name ?? "")") }
        return element
    }

    /// Waits for it, and clicks it.
    func click(_ role: String, _ name: String? = nil) throws { try element(role, name).click() }

    /// All text that can be seen.
    func text() throws -> String { try evaluate("document.body.innerText") as? String ?? "" }

    /// Runs a function of JavaScript with an element as `this`.
    @discardableResult
    func call(_ function: String, on node: Int) throws -> Any? {
        let resolved = try command("DOM.resolveNode", ["backendNodeId": node])["object"] as? [String: Any]
        let parameters: [String: Any] = [
            "functionDeclaration": function, "objectId": resolved?["objectId"] ?? "", "returnByValue": true,
            "awaitPromise": true, "userGesture": true,
        ]
        return try value(of: command("Runtime.callFunctionOn", parameters))
    }

    /// Waits for something to happen in it.
    @discardableResult
    func wait(
        _ what: @autoclosure () throws -> String, within seconds: Double = 30, _ condition: () throws -> Bool
    ) throws -> Duration {
        try RoomPageTests.wait(try what(), within: seconds, condition)
    }

    // MARK: Mouse and keys

    /// Clicks there, in CSS pixels of the view.
    func click(x: Double, y: Double, count: Int = 1) throws {
        for click in 1...count {
            for type in ["mousePressed", "mouseReleased"] {
                try command(
                    "Input.dispatchMouseEvent", ["type": type, "x": x, "y": y, "button": "left", "clickCount": click])
            }
        }
    }

    /// Types a text, key by key, into what has the focus.
    func type(_ text: String) throws {
        for character in text {
            let key = String(character)
            try command("Input.dispatchKeyEvent", ["type": "keyDown", "key": key, "text": key])
            try command("Input.dispatchKeyEvent", ["type": "keyUp", "key": key])
        }
    }

    /// Puts a text into what has the focus at once, as from the clipboard or an input method.
    func insert(_ text: String) throws { try command("Input.insertText", ["text": text]) }

    /// Presses a key that writes nothing: `Enter`, `Escape`, `Tab`, `ArrowDown`, `Space`, `Backspace`.
    func press(_ key: String, shift: Bool = false) throws {
        let codes = [
            "Enter": 13, "Escape": 27, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39,
            "Space": 32, "Backspace": 8,
        ]
        let code = codes[key] ?? 0
        let name = key == "Space" ? " " : key
        var down: [String: Any] = [
            "type": "keyDown", "key": name, "code": key, "windowsVirtualKeyCode": code, "modifiers": shift ? 8 : 0,
        ]
        if let text = ["Enter": "\r", "Space": " "][key] { down["text"] = text }
        try command("Input.dispatchKeyEvent", down)
        down["type"] = "keyUp"
        down["text"] = nil
        try command("Input.dispatchKeyEvent", down)
    }
}

/// Waits for something to happen, at most that long, and returns how long it took.
@discardableResult
func wait(
    _ what: @autoclosure () throws -> String, within seconds: Double = 30, _ condition: () throws -> Bool
) throws -> Duration {
    let start = ContinuousClock.now
    while try !condition() {
        guard ContinuousClock.now - start < .seconds(seconds) else {
            throw TestFailure("not within \(seconds) s: \(try what())")
        }
        usleep(20_000)
    }
    return ContinuousClock.now - start
}

/// A JavaScript literal of a text.
func literal(_ text: String) -> String {
    guard let data = try? JSONEncoder().encode(text) else { preconditionFailure("each text has a form in JSON") }
    return String(decoding: data, as: UTF8.self)
}
