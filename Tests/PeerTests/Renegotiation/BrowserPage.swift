import Foundation
import RillTestSupport

/// A page of a browser in which a test runs scripts.
protocol BrowserPage: AnyObject {
    /// Starts the browser.
    static func start(limit seconds: Int) throws -> Self

    /// Runs JavaScript in the page, and returns its value: what a promise is fulfilled with.
    @discardableResult
    func evaluate(_ script: String, within seconds: Double) throws -> Any?
}

extension BrowserPage {
    @discardableResult
    func evaluate(_ script: String) throws -> Any? { try evaluate(script, within: 30) }

    /// The value of an expression that is an object.
    func object(_ script: String, within seconds: Double = 30) throws -> [String: Any] {
        try value(of: script, within: seconds)
    }

    /// The value of an expression that is a text.
    func text(_ script: String, within seconds: Double = 30) throws -> String {
        try value(of: script, within: seconds)
    }

    private func value<Value>(of script: String, within seconds: Double) throws -> Value {
        let value = try evaluate(script, within: seconds)
        guard let value = value as? Value else { throw TestFailure("\(script.prefix(60)) is \(value ?? "nothing")") }
        return value
    }
}

/// A JavaScript literal of a text.
func literal(_ text: String) -> String {
    guard let data = try? JSONEncoder().encode(text) else { return "\"\"" }
    return String(decoding: data, as: UTF8.self)
}
