import RillCore

/// The key frames that one participant of a call may cause, which all others get too: three at once, and one more every
/// three seconds. A key frame is several times as large as others, and all get coarser pictures for it.
///
/// What is over the budget waits for its time, or for a key frame that is made for another reason.
struct KeyFrameBudget: Sendable {
    private static let most = 3
    private static let interval = MediaDuration.seconds(3)

    private var left = KeyFrameBudget.most
    /// Since when the next one accrues.
    private var since: MediaTime?
    private var waiting = LayerSet()

    /// Takes one for a request; `false` if it has to wait.
    mutating func take(_ layer: Int, at now: MediaTime) -> Bool {
        accrue(at: now)
        guard left > 0 else {
            waiting.insert(.layer(layer))
            return false
        }
        waiting.remove(.layer(layer))
        if left == KeyFrameBudget.most { since = now }
        left -= 1
        return true
    }

    /// Notes a frame of a layer; returns whether a key frame that waited is to be requested now.
    mutating func note(_ layer: Int, isKey: Bool, at now: MediaTime) -> Bool {
        guard waiting.contains(layer: layer) else { return false }
        guard !isKey else {
            waiting.remove(.layer(layer))
            return false
        }
        return take(layer, at: now)
    }

    private mutating func accrue(at now: MediaTime) {
        while left < KeyFrameBudget.most, let start = since, now - start >= KeyFrameBudget.interval {
            left += 1
            since = start + KeyFrameBudget.interval
        }
    }
}
