package import RillCore
package import RillReceive

/// Decides which layer of one participant has to come: what the app wants, by its name or by the size at which it is shown, less what the
/// network does not carry.
///
/// Tell it what is wanted and how the layers come; at ``deadline`` ask ``update(at:_:)``. A pure value.
package struct LayerChoice: Sendable {
    /// What the app wants.
    package enum Want: Equatable, Sendable {
        case layer(Int)
        /// What is shown at that size, in pixels; `nil`: nowhere.
        case automatic(shownAt: Resolution?)
        case none
    }

    /// What happened to the choice.
    package enum Change: Equatable, Sendable {
        case fellBack(from: Int, to: Int, LayerFallback.Reason)
        case recovered(to: Int)
    }

    /// Sizes of the layers, as far as known; the largest comes well, or the one below is taken.
    private var sizes: [Resolution]
    private let fallbackSettings: LayerFallback.Settings?
    private(set) var want = Want.none
    private var fallback: LayerFallback
    private var hiddenSince: MediaTime?
    /// The layer that has to come; `nil` for none.
    package private(set) var chosen: Int?
    /// When to ask again.
    package private(set) var deadline = MediaTime.distantFuture
    /// When to look at how the layers come.
    private var nextLook = MediaTime(nanoseconds: .min)

    /// What is not shown at all is kept at the smallest layer for so long, should it be shown again.
    package static let hiddenHold = MediaDuration.seconds(5)

    /// Nothing is wanted.
    ///
    /// - Parameters:
    ///   - sizes: of the layers; those that are not known yet as they are likely to be.
    ///   - fallback: when to take a smaller layer than is wanted; `nil` for never.
    package init(sizes: [Resolution], fallback: LayerFallback.Settings?) {
        self.sizes = sizes
        fallbackSettings = fallback
        self.fallback = LayerFallback(fallback ?? LayerFallback.Settings())
    }

    /// Wants something else from now on.
    package mutating func want(_ want: Want, at now: MediaTime) {
        guard want != self.want else { return }
        let old = target
        self.want = want
        hiddenSince = want == .automatic(shownAt: nil) ? now : nil
        // A window that is dragged is no new decision.
        if case .automatic = want, target == old {} else { fallback.forgive() }
        choose(at: now)
    }

    /// A layer's pictures have that size.
    package mutating func note(_ size: Resolution, of layer: Int, at now: MediaTime) {
        guard sizes.indices.contains(layer), sizes[layer] != size else { return }
        sizes[layer] = size
        choose(at: now)
    }

    /// Does what time brings about.
    ///
    /// - Parameter statistics: what has become of a layer so far; `nil` where nothing is known, or it is muted.
    package mutating func update(at now: MediaTime, _ statistics: (Int) -> InboundStatistics?) -> Change? {
        guard deadline <= now else { return nil }
        var change: Change?
        if fallbackSettings != nil, nextLook <= now, let chosen, let wanted = target, sizes.count > 1 {
            if let statistics = statistics(chosen) {
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

    /// The layer that is wanted, whatever the network carries.
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
        if layer != chosen { fallback.reset() }
        chosen = layer
        // Who changes his mind often does not put off what is to be looked at.
        if nextLook <= now { nextLook = now + LayerFallback.interval }
        deadline = .distantFuture
        guard layer != nil else { return }
        if let hiddenSince { deadline = hiddenSince + LayerChoice.hiddenHold }
        if fallbackSettings != nil, sizes.count > 1 { deadline = min(deadline, nextLook) }
    }

    private var smallest: Int? { sizes.indices.min { area($0) < area($1) } }

    /// The largest of the layers that are smaller.
    private func smaller(than layer: Int) -> Int? {
        sizes.indices.filter { area($0) < area(layer) }.max { area($0) < area($1) }
    }

    private func area(_ layer: Int) -> Int {
        sizes.indices.contains(layer) ? sizes[layer].width * sizes[layer].height : 0
    }
}
