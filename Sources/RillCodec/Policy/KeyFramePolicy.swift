/// Remembers that a key frame was asked for until one is coded; any number of requests before that are one.
struct KeyFramePolicy: Sendable {
    private(set) var isRequested = false

    /// Asks for a key frame.
    mutating func request() {
        isRequested = true
    }

    /// Whether the frame about to be coded has to be a key frame; the request is thereby served.
    mutating func take() -> Bool {
        defer { isRequested = false }
        return isRequested
    }
}
