public import RillCore

/// Splits the available bitrate among the layers of a simulcast, and decides which layers are sent.
///
/// ```swift
/// var allocator = BitrateAllocator(layers: [
///     .init(.high, minimum: .kilobits(150), target: .kilobits(800), maximum: .megabits(2)), .init(.low)])
/// let split = allocator.split(.kilobits(600))
/// split[0]  // the high layer: 555 kbit/s
/// split[1]  // the low layer: 45 kbit/s
/// ```
///
/// Layers are served from the smallest minimum to the largest. The first gets everything until it has its target.
/// Each further layer is switched on when the layers below have their targets and ``hysteresis`` times its own
/// minimum is left. It is switched off when its minimum itself is no longer left. So a total that varies by less than
/// a fifth of the minimum never toggles a layer. The remainder goes to the largest active layer, up to its maximum,
/// and then down to the smaller ones.
///
/// A pure value: it reads no clock, and the same totals produce the same splits.
public struct BitrateAllocator: Sendable {
    /// The bitrates of one layer.
    public struct Layer: Equatable, Sendable {
        /// The layer's name.
        public var rid: StreamLayer.RID
        /// The bitrate below which the layer is not worth sending.
        public var minimum: Bitrate
        /// The bitrate that the layer gets before a larger layer gets anything.
        public var target: Bitrate
        /// The bitrate above which the layer does not improve.
        public var maximum: Bitrate

        /// Creates a layer. Requires 0 < `minimum` ≤ `target` ≤ `maximum`; traps otherwise.
        public init(_ rid: StreamLayer.RID, minimum: Bitrate, target: Bitrate, maximum: Bitrate) {
            precondition(
                minimum <= target && target <= maximum && minimum > Bitrate(bitsPerSecond: 0),
                "layer \(rid): 0 < minimum \(minimum) <= target \(target) <= maximum \(maximum) does not hold")
            self.rid = rid
            self.minimum = minimum
            self.target = target
            self.maximum = maximum
        }
    }

    /// The bitrates of all layers, in the order of the initializer; stored inline.
    public struct Split: Equatable, Sendable {
        private var rates = InlineArray<3, Int>(repeating: 0)

        /// The bitrate of a layer; zero if it is switched off.
        public subscript(index: Int) -> Bitrate { Bitrate(bitsPerSecond: rates[index]) }

        /// Whether a layer is sent.
        public func isActive(_ index: Int) -> Bool { rates[index] > 0 }

        /// The sum of all layers.
        public var total: Bitrate { Bitrate(bitsPerSecond: rates[0] + rates[1] + rates[2]) }

        fileprivate mutating func add(_ rate: Int, to index: Int) { rates[index] += rate }

        /// Whether every layer has the same bitrate in both.
        public static func == (a: Split, b: Split) -> Bool {
            a.rates[0] == b.rates[0] && a.rates[1] == b.rates[1] && a.rates[2] == b.rates[2]
        }
    }

    /// The multiple of a layer's minimum that must be available before it is switched on.
    public static let hysteresis = 1.2

    /// The multiple of what all layers up to one need that must be there steadily before it is switched on: a total
    /// that ripples by 10 % has extremes that differ by 22 %.
    private static let rippleFactor = 1.25

    private let layers: [Layer]
    /// The indices of the layers, from the smallest minimum to the largest.
    private let order: [Int]
    /// The number of active layers, in that order.
    private var activeCount = 0

    /// Creates an allocator for one to three layers. Any other number traps.
    public init(layers: [Layer]) {
        precondition((1...3).contains(layers.count), "a simulcast has 1 to 3 layers, not \(layers.count)")
        self.layers = layers
        order = layers.indices.sorted { (layers[$0].minimum, $0) < (layers[$1].minimum, $1) }
    }

    /// Creates an allocator for changed layers. Layers that are active in `previous` stay active as long as possible.
    public init(layers: [Layer], keepingActive previous: BitrateAllocator?) {
        self.init(layers: layers)
        guard let previous else { return }
        let active = Set(previous.order.prefix(previous.activeCount).map { previous.layers[$0].rid })
        activeCount = order.prefix { active.contains(layers[$0].rid) }.count
    }

    /// Splits `total` among the layers. A total of zero switches all of them off.
    ///
    /// - Parameters:
    ///   - total: the available bitrate.
    ///   - steady: the bitrate that was available for a while, if the total ripples. A layer is switched on only if
    ///     this exceeds the sum of its bitrate and those of the layers below by a quarter. `nil` decides by the total
    ///     alone.
    ///   - recent: the highest total of the last moments. Layers that are on stay on while it suffices for them, at
    ///     their minimum: switching one on again costs a key frame and takes seconds. `nil` decides by the total alone.
    public mutating func split(_ total: Bitrate, steady: Bitrate? = nil, recent: Bitrate? = nil) -> Split {
        activeCount = count(for: total.bitsPerSecond, steady: steady?.bitsPerSecond, recent: recent?.bitsPerSecond)
        var split = Split()
        var left = total.bitsPerSecond
        func give(_ index: Int, upTo limit: Bitrate) {
            let rate = min(left, max(0, limit.bitsPerSecond - split[index].bitsPerSecond))
            split.add(rate, to: index)
            left -= rate
        }
        // First the targets, from the smallest layer up; then the rest, from the largest down to each maximum.
        for index in order.prefix(activeCount) { give(index, upTo: layers[index].target) }
        for index in order.prefix(activeCount).reversed() { give(index, upTo: layers[index].maximum) }
        for index in order.prefix(activeCount).dropFirst() {
            split.add(max(0, layers[index].minimum.bitsPerSecond - split[index].bitsPerSecond), to: index)
        }
        return split
    }

    /// Returns how many layers `total` suffices for. Active layers are kept a little longer.
    private func count(for total: Int, steady: Int?, recent: Int?) -> Int {
        guard total > 0 else { return 0 }
        var count = 1
        var below = layers[order[0]].target.bitsPerSecond
        while count < order.count {
            let layer = layers[order[count]]
            let isActive = count < activeCount
            let factor = isActive ? 1 : BitrateAllocator.hysteresis
            // In floating point no rate overflows, and a bit more or less does not matter.
            let (lower, minimum) = (Double(below), Double(layer.minimum.bitsPerSecond))
            let enough = isActive ? max(total, recent ?? total) : total
            guard Double(enough) >= lower + minimum * factor else { break }
            if let steady, !isActive, Double(steady) < (lower + minimum) * BitrateAllocator.rippleFactor { break }
            below += layer.target.bitsPerSecond
            count += 1
        }
        return count
    }
}

/// The shares of a stream's bits that its temporal layers get.
///
/// A layer's target in libvpx includes the layers below it, so these are cumulative. The shares are libwebrtc's: a
/// poorer base layer would degrade the picture for all receivers.
public struct TemporalShares: Equatable, Sendable {
    /// The number of layers, 1 to 3.
    public let count: Int

    /// Creates the shares of a stream of one to three temporal layers. Any other number traps.
    public init(count: Int) {
        precondition(TemporalShares.range.contains(count), "a stream has 1 to 3 temporal layers, not \(count)")
        self.count = count
    }

    /// The supported numbers of temporal layers.
    public static let range = 1...3

    /// Returns the share of layers 0 to `index` together, in percent.
    public func percentage(upTo index: Int) -> Int {
        precondition((0..<count).contains(index), "temporal layer \(index) of \(count)")
        return switch (count, index) {
        case (2, 0): 60
        case (3, 0): 40
        case (3, 1): 60
        default: 100
        }
    }

    /// Returns the part of `bitrate` for layers 0 to `index` together, rounded down.
    public func bitrate(upTo index: Int, of bitrate: Bitrate) -> Bitrate {
        // Divided first, since a rate near the end of its range would overflow the multiplication.
        let (whole, rest) = bitrate.bitsPerSecond.quotientAndRemainder(dividingBy: 100)
        let percentage = percentage(upTo: index)
        return Bitrate(bitsPerSecond: whole * percentage + rest * percentage / 100)
    }
}
