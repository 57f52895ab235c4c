package import RillCore
package import RillReceive

/// Decides which layer of a participant is to be received: the one the app wants, by name or by display size, minus
/// what the network does not carry.
///
/// Tell it what is wanted and how the layers perform; call ``update(at:_:)`` at ``deadline``. A pure value.
package struct LayerChoice: Sendable {
    /// What the app wants.
    package enum Want: Equatable, Sendable {
        case layer(Int)
        /// The display size in pixels; `nil`: not visible.
        case automatic(shownAt: Resolution?)
        case none
    }

    /// A change of the choice.
    package enum Change: Equatable, Sendable {
        case fellBack(from: Int, to: Int, LayerFallback.Reason)
        case recovered(to: Int)
    }

    /// The sizes of the layers, as far as known.
    private var sizes: [Resolution]
    private let fallbackSettings: LayerFallback.Settings?
    private(set) var want = Want.none
    private var fallback: LayerFallback
    private var hiddenSince: MediaTime?
    /// The smaller layer that comes while the wanted one does not.
    private var substitute: Int?
    /// The layer to receive; `nil` for none.
    package private(set) var chosen: Int?
    /// The layer that is wanted instead of ``chosen``, and comes as soon as its sender sends it again.
    package private(set) var awaited: Int?
    /// When to call ``update(at:_:)`` again.
    package private(set) var deadline = MediaTime.distantFuture
    /// When to check how the layers perform.
    private var nextLook = MediaTime(nanoseconds: .min)

    /// How long an invisible participant keeps the smallest layer, in case it is shown again.
    package static let hiddenHold = MediaDuration.seconds(5)

    /// Creates a choice with nothing wanted.
    ///
    /// - Parameters:
    ///   - sizes: the sizes of the layers; for those not known yet, the likely ones.
    ///   - fallback: when to fall back to a smaller layer than the wanted one; `nil` for never.
    package init(sizes: [Resolution], fallback: LayerFallback.Settings?) {
        self.sizes = sizes
        fallbackSettings = fallback
        self.fallback = LayerFallback(fallback ?? LayerFallback.Settings())
    }

    /// Changes what is wanted.
    package mutating func want(_ want: Want, at now: MediaTime) {
        guard want != self.want else { return }
        let old = target
        self.want = want
        hiddenSince = want == .automatic(shownAt: nil) ? now : nil
        // Dragging a window is not a new decision.
        if case .automatic = want, target == old {} else { fallback.forgive() }
        choose(at: now)
    }

    /// Notes the size of a layer's pictures.
    package mutating func note(_ size: Resolution, of layer: Int, at now: MediaTime) {
        guard sizes.indices.contains(layer), sizes[layer] != size else { return }
        sizes[layer] = size
        choose(at: now)
    }

    /// Looks at the layers with the next update: one of them was muted or unmuted.
    package mutating func expedite(at now: MediaTime) { (nextLook, deadline) = (now, now) }

    /// Updates the choice for the passage of time.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - statistics: returns a layer's statistics so far; `nil` if nothing is known, or it is muted.
    /// - Returns: the change, if there was one.
    package mutating func update(at now: MediaTime, _ statistics: (Int) -> InboundStatistics?) -> Change? {
        guard deadline <= now else { return nil }
        var change: Change?
        if fallbackSettings != nil, nextLook <= now, let chosen, let wanted = target, sizes.count > 1 {
            substitute = substitute(for: wanted, statistics)
            if substitute == nil, let statistics = statistics(chosen) {
                switch fallback.note(statistics, at: now) {
                case .stay: break
                case .fallBack(let reason):
                    if let smaller = smaller(than: wanted) {
                        change = .fellBack(from: wanted, to: smaller, reason)
                    } else {
                        fallback.forgive()
                    }
                case .goBack: change = .recovered(to: wanted)
                }
            } else {
                fallback.reset()
            }
        }
        choose(at: now)
        return change
    }

    /// The wanted layer, whatever the network carries.
    private var target: Int? {
        switch want {
        case .layer(let layer): layer
        case .automatic(.some(let size)):
            size.width > 0 && size.height > 0 ? LayerSizing.layer(for: size, of: sizes, current: chosen) : smallest
        case .automatic(nil): smallest
        case .none: nil
        }
    }

    private mutating func choose(at now: MediaTime) {
        var layer = target
        if let hiddenSince, now - hiddenSince >= LayerChoice.hiddenHold { layer = nil }
        if let wanted = layer, fallback.isFallenBack { layer = smaller(than: wanted) ?? wanted }
        awaited = nil
        if let wanted = layer, let substitute, area(substitute) < area(wanted) {
            (awaited, layer) = (wanted, substitute)
        }
        if layer != chosen { fallback.reset() }
        chosen = layer
        // Frequent changes do not postpone the next check.
        if nextLook <= now { nextLook = now + LayerFallback.interval }
        deadline = .distantFuture
        guard layer != nil else { return }
        if let hiddenSince { deadline = hiddenSince + LayerChoice.hiddenHold }
        if fallbackSettings != nil, sizes.count > 1 { deadline = min(deadline, nextLook) }
    }

    private var smallest: Int? { sizes.indices.min { area($0) < area($1) } }

    /// The largest of the smaller layers.
    private func smaller(than layer: Int) -> Int? {
        sizes.indices.filter { area($0) < area(layer) }.max { area($0) < area($1) }
    }

    /// What comes while the wanted layer does not: its sender has muted it, or never sent it, as their network does not
    /// carry it.
    private func substitute(for wanted: Int, _ statistics: (Int) -> InboundStatistics?) -> Int? {
        guard statistics(wanted) == nil else { return nil }
        return sizes.indices.filter { area($0) < area(wanted) && statistics($0) != nil }.max { area($0) < area($1) }
    }

    private func area(_ layer: Int) -> Int {
        sizes.indices.contains(layer) ? sizes[layer].width * sizes[layer].height : 0
    }
}

/// Chooses the layer that is large enough for its display size.
package enum LayerSizing {
    /// Returns the smallest layer that need not be enlarged much; if none is large enough, the largest.
    ///
    /// While a window is dragged its size fluctuates, so a smaller layer is only chosen if it is clearly large
    /// enough.
    ///
    /// - Parameters:
    ///   - shown: the display size, in pixels.
    ///   - sizes: the sizes of the layers, in any order; at least one.
    ///   - current: the layer that is chosen now.
    /// - Returns: the index of the layer.
    package static func layer(for shown: Resolution, of sizes: [Resolution], current: Int?) -> Int {
        let order = sizes.indices.sorted { area(sizes[$0]) < area(sizes[$1]) }
        for layer in order {
            let isSmaller = current.map { area(sizes[layer]) < area(sizes[$0]) } ?? false
            if magnification(of: sizes[layer], in: shown) <= (isSmaller ? stepDown : most) { return layer }
        }
        return order.last ?? 0
    }

    /// A picture that is enlarged more than this looks soft.
    private static let most = 1.5
    private static let stepDown = 1.25

    /// By how much a picture is enlarged that fills the display size in one direction.
    private static func magnification(of size: Resolution, in shown: Resolution) -> Double {
        guard size.width > 0, size.height > 0 else { return .infinity }
        return min(Double(shown.width) / Double(size.width), Double(shown.height) / Double(size.height))
    }

    private static func area(_ size: Resolution) -> Int { size.width * size.height }
}
