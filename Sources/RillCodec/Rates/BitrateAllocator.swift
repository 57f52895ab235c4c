public import RillCore

/// Splits what the network takes among the layers of a simulcast, and says which of them are sent at all.
///
///     var allocator = BitrateAllocator(layers: [
///         .init(.high, minimum: .kilobits(150), target: .kilobits(800), maximum: .megabits(2)), .init(.low)])
///     let split = allocator.split(.kilobits(600))
///     split[0]  // the high layer: 555 kbit/s
///     split[1]  // the low one: 45 kbit/s
///
/// The layers are served from the smallest minimum to the largest. The first is kept alive first: it gets all there is
/// until it has its target. Each further one is switched on when, those below having their targets, its own minimum is
/// there ``hysteresis`` times over, and off when the minimum itself is no longer there; so a total that wavers by less
/// than a fifth of the minimum never switches a layer twice. What is left goes to the largest layer that is on, up to
/// its maximum, and then down again.
///
/// A pure value: it reads no clock, and the same totals give the same splits.
public struct BitrateAllocator: Sendable {
    /// What one layer wants.
    public struct Layer: Equatable, Sendable {
        /// The layer's name.
        public var rid: StreamLayer.RID
        /// Below this its pictures are not worth sending.
        public var minimum: Bitrate
        /// What it should have before a larger layer gets anything.
        public var target: Bitrate
        /// More than this does it no good.
        public var maximum: Bitrate

        /// A layer with these wishes, which have to rise from minimum to maximum; else it is the programmer's mistake.
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

    /// The rates of all layers, in the order in which they were given; held inline.
    public struct Split: Equatable, Sendable {
        private var rates = InlineArray<3, Int>(repeating: 0)

        /// The rate of a layer; zero when it is switched off.
        public subscript(index: Int) -> Bitrate { Bitrate(bitsPerSecond: rates[index]) }

        /// Whether a layer is sent.
        public func isActive(_ index: Int) -> Bool { rates[index] > 0 }

        /// All of them together.
        public var total: Bitrate { Bitrate(bitsPerSecond: rates[0] + rates[1] + rates[2]) }

        fileprivate mutating func add(_ rate: Int, to index: Int) { rates[index] += rate }

        /// The same rate for every layer.
        public static func == (a: Split, b: Split) -> Bool {
            a.rates[0] == b.rates[0] && a.rates[1] == b.rates[1] && a.rates[2] == b.rates[2]
        }
    }

    /// How many times over a layer's minimum has to be there before it is switched on.
    public static let hysteresis = 1.2

    private let layers: [Layer]
    /// The places of the layers, from the smallest minimum to the largest.
    private let order: [Int]
    /// How many layers are on, in that order.
    private var activeCount = 0

    /// An allocator for one to three layers; another number is the programmer's mistake.
    public init(layers: [Layer]) {
        precondition((1...3).contains(layers.count), "a simulcast has 1 to 3 layers, not \(layers.count)")
        self.layers = layers
        order = layers.indices.sorted { (layers[$0].minimum, $0) < (layers[$1].minimum, $1) }
    }

    /// An allocator for layers that were changed: those that `previous` has switched on stay on as long as they may.
    public init(layers: [Layer], keepingActive previous: BitrateAllocator?) {
        self.init(layers: layers)
        guard let previous else { return }
        let active = Set(previous.order.prefix(previous.activeCount).map { previous.layers[$0].rid })
        activeCount = order.prefix { active.contains(layers[$0].rid) }.count
    }

    /// Splits `total`. A total of zero switches everything off: nothing is to be sent.
    public mutating func split(_ total: Bitrate) -> Split {
        activeCount = count(for: total.bitsPerSecond)
        var split = Split()
        var left = total.bitsPerSecond
        func give(_ index: Int, upTo limit: Bitrate) {
            let rate = min(left, max(0, limit.bitsPerSecond - split[index].bitsPerSecond))
            split.add(rate, to: index)
            left -= rate
        }
        // From below, what each should have; then from above, what each can use.
        for index in order.prefix(activeCount) { give(index, upTo: layers[index].target) }
        for index in order.prefix(activeCount).reversed() { give(index, upTo: layers[index].maximum) }
        return split
    }

    /// How many layers `total` is enough for, those that are on already being kept a little longer.
    private func count(for total: Int) -> Int {
        guard total > 0 else { return 0 }
        var count = 1
        var below = layers[order[0]].target.bitsPerSecond
        while count < order.count {
            let layer = layers[order[count]]
            let factor = count < activeCount ? 1 : BitrateAllocator.hysteresis
            // In floating point: no rate overflows there, and a bit more or less does not matter.
            guard Double(total) >= Double(below) + Double(layer.minimum.bitsPerSecond) * factor else { break }
            below += layer.target.bitsPerSecond
            count += 1
        }
        return count
    }
}
