/// Remembers that something was asked for (a key frame) until it is served; any number of requests before that are one.
struct PendingRequest: Sendable {
    private(set) var isPending = false

    /// Asks for it.
    mutating func make() {
        isPending = true
    }

    /// Whether it was asked for; the request is thereby served.
    mutating func take() -> Bool {
        defer { isPending = false }
        return isPending
    }
}
