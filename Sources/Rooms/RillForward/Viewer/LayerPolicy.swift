import RillCore

/// Chooses the layer for a viewer by what its network carries.
///
/// A layer's bitrate is not ours to change. So a viewer goes down as soon as the layer does not fit, and up only where
/// there is room to spare, later after each time that this went wrong.
struct LayerPolicy: Sendable {
    /// A layer as the policy sees it.
    struct Layer: Sendable {
        /// Its bitrate with all headers.
        var bits: Double
        /// Whether frames arrive.
        var isLive: Bool
    }

    /// No move up before that time.
    private var holdUntil = MediaTime(nanoseconds: .min / 2)
    private var hold = LayerPolicy.shortestHold
    /// When it last moved up.
    private var roseAt: MediaTime?
    /// Since when the present layer does not fit.
    private var lackSince: MediaTime?

    private static let shortestHold = MediaDuration.seconds(2)
    private static let longestHold = MediaDuration.seconds(30)
    /// The room that a move up needs, and what a layer may lack for a moment.
    private static let margin = (up: 1.15, down: 0.95)
    /// For how long a layer may lack room.
    private static let overloadTimeout = MediaDuration.milliseconds(300)

    /// The layer to send.
    ///
    /// - Parameters:
    ///   - layers: the layers, the best one first.
    ///   - current: the one that is sent; `nil` for none.
    ///   - bitrate: what the network carries in bits per second; `nil` if that is not known.
    ///   - isFull: whether what was sent last still waits.
    ///   - now: the current time.
    /// - Returns: the index of a layer; `nil` if none is live.
    mutating func choose(
        _ layers: [Layer], current: Int?, bitrate: Double?, isFull: Bool, at now: MediaTime
    ) -> Int? {
        guard let lowest = layers.lastIndex(where: \.isLive) else { return nil }
        guard let bitrate else { return layers.firstIndex(where: \.isLive) }
        let fits = { (index: Int, margin: Double) in layers[index].isLive && layers[index].bits * margin <= bitrate }
        guard let current, layers[current].isLive else {
            return layers.indices.first { fits($0, 1) } ?? lowest
        }
        if isFull || !fits(current, LayerPolicy.margin.down) {
            let since = lackSince ?? now
            lackSince = since
            guard now - since >= LayerPolicy.overloadTimeout, current < lowest else { return current }
            fall(at: now)
            return layers.indices.first { $0 > current && fits($0, 1) } ?? lowest
        }
        lackSince = nil
        guard now >= holdUntil else { return current }
        guard let better = layers.indices.first(where: { $0 < current && fits($0, LayerPolicy.margin.up) }) else {
            return current
        }
        roseAt = now
        return better
    }

    private mutating func fall(at now: MediaTime) {
        lackSince = nil
        // A rise that did not last makes the next one later.
        let isFlapping = roseAt.map { now - $0 < LayerPolicy.shortestHold * 5 } ?? false
        hold = isFlapping ? min(hold * 2, LayerPolicy.longestHold) : LayerPolicy.shortestHold
        holdUntil = now + hold
    }
}
