import RillTestSupport

/// An element of a page, as a screen reader finds it.
struct Element {
    let page: Page
    let node: Int
    let role: String
    /// Its accessible name.
    let name: String
    /// What a field holds.
    let value: String
    /// Its states: `pressed`, `expanded`, `disabled`, `checked`, `selected`, `focused`, each as `true` or `false`.
    let properties: [String: String]

    func rect() throws -> Rect {
        let text = try page.call("function() { return JSON.stringify(probe.rect(this)); }", on: node) as? String
        return try page.read(text ?? "null")
    }

    /// Its text, as it is seen.
    func text() throws -> String { try page.call("function() { return this.innerText; }", on: node) as? String ?? "" }

    /// The value of a computed style.
    func style(_ name: String) throws -> String {
        try page.call("function() { return getComputedStyle(this)[\(literal(name))]; }", on: node) as? String ?? ""
    }

    /// Clicks its middle with the mouse, after it was scrolled into view.
    func click(count: Int = 1) throws {
        let scroll = "function() { this.scrollIntoView({block: 'nearest', behavior: 'instant'}); }"
        try page.call(scroll, on: node)
        let rect = try rect()
        try page.click(x: rect.x + rect.width / 2, y: rect.y + rect.height / 2, count: count)
    }

    @discardableResult
    func call(_ function: String) throws -> Any? { try page.call(function, on: node) }

    func focus() throws { try page.call("function() { this.focus(); }", on: node) }

    func isFocused() throws -> Bool {
        try page.call("function() { return document.activeElement === this; }", on: node) as? Bool ?? false
    }

    /// Empties a field, and types a text into it.
    func fill(_ text: String) throws {
        try page.call("function() { this.focus(); this.select?.(); }", on: node)
        try page.press("Backspace")
        try page.type(text)
    }

    /// What it holds now.
    func current() throws -> String { try page.call("function() { return this.value; }", on: node) as? String ?? "" }
}

/// A rectangle of the view, in CSS pixels.
struct Rect: Decodable, Equatable {
    var (x, y, width, height) = (0.0, 0.0, 0.0, 0.0)

    var area: Double { width * height }

    /// Whether each side is within so many pixels of another's.
    func matches(_ other: Rect, within limit: Double = 2) -> Bool {
        abs(x - other.x) <= limit && abs(y - other.y) <= limit && abs(x + width - other.x - other.width) <= limit
            && abs(y + height - other.y - other.height) <= limit
    }

    func contains(_ other: Rect, within limit: Double = 1) -> Bool {
        other.x >= x - limit && other.y >= y - limit && other.x + other.width <= x + width + limit
            && other.y + other.height <= y + height + limit
    }

    func overlaps(_ other: Rect) -> Bool {
        min(x + width, other.x + other.width) - max(x, other.x) > 1
            && min(y + height, other.y + other.height) - max(y, other.y) > 1
    }
}
