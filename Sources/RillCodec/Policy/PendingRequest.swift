/// A request, for example for a key frame, that stays pending until it is served. Repeated requests count as one.
struct PendingRequest: Sendable {
    private(set) var isPending = false

    /// Makes the request.
    mutating func make() {
        isPending = true
    }

    /// Returns whether the request is pending, and clears it.
    mutating func take() -> Bool {
        defer { isPending = false }
        return isPending
    }
}
