import RillCodec
import RillCore

/// What follows from the bitrate that a network leaves the layers: the reduction of each layer, and which bitrate has
/// been there steadily.
///
/// Its clock are the capture times of frames: a new bitrate takes effect with each layer's next frame.
struct NetworkAdaptation: Sendable {
    /// What encoders may produce together, in the mean.
    var total: Bitrate
    /// What the next frames leave of that to packets that wait, in bit/s.
    var reserved = 0
    /// A layer's next frames keep at least this share of its bitrate.
    private static let minimumShare = 0.3
    /// The longest interval of frames that counts for the time in which frames could leave.
    private static let longestInterval = MediaDuration.milliseconds(250)
    /// How long a frame after a cut of the scene may take at its layer's bitrate.
    static let burstLimit = MediaDuration.milliseconds(120)

    /// Each layer's part of ``total``.
    private var shares: [Bitrate]
    /// Of each layer; empty if layers keep size and rate.
    private var layers: [BitrateAdaptation]
    private var recent = RecentTotals()
    private var steady: Bitrate?
    /// The highest total of the last second.
    private var highest: Bitrate?
    /// Whether no frames leave at present: then the total says nothing.
    var isObstructed = false
    /// How long frames could leave so far, and the last one that could.
    private var freeTime = (passed: MediaTime.zero, last: MediaTime?.none)

    init(_ total: Bitrate, of layers: [LayerSettings], _ settings: AdaptationSettings?) {
        self.total = total
        shares = [Bitrate](repeating: Bitrate(bitsPerSecond: 0), count: layers.count)
        self.layers = layers.indices.map { NetworkAdaptation.adaptation(of: $0, in: layers, settings) }.compactMap(
            \.self)
    }

    /// Starts the adaptation of a changed layer again.
    mutating func reset(_ index: Int, in settings: [LayerSettings], _ adaptation: AdaptationSettings?) {
        guard let new = NetworkAdaptation.adaptation(of: index, in: settings, adaptation) else { return }
        layers[index] = new
    }

    /// A layer keeps at least twice the pixels of the next smaller one: with less it is not worth its bits.
    private static func adaptation(
        of index: Int, in layers: [LayerSettings], _ settings: AdaptationSettings?
    ) -> BitrateAdaptation? {
        guard let settings else { return nil }
        let layer = layers[index]
        let smaller = layers.map(\.resolution.pixelCount).filter { $0 < layer.resolution.pixelCount }.max() ?? 0
        return BitrateAdaptation(
            settings, codec: layer.codec, resolution: layer.resolution, frameRate: layer.frameRate,
            minimumPixelCount: 2 * smaller)
    }

    /// Follows time, in which frames could leave: what is there while none may says nothing, as in a stall of the
    /// network. Returns whether another layer may be switched on or off: what was there steadily, or lately, has
    /// changed.
    mutating func advance(to now: MediaTime) -> Bool {
        guard !isObstructed else {
            freeTime.last = nil
            return false
        }
        let elapsed = freeTime.last.map { max(.zero, min(now - $0, Self.longestInterval)) } ?? .zero
        freeTime = (freeTime.passed + elapsed, now)
        let before = (steady, highest)
        (steady, highest) = recent.add(total, at: freeTime.passed)
        return before != (steady, highest)
    }

    /// Splits the total among layers, and returns what their next frames may have.
    ///
    /// The total alone decides which layers are sent: packets that wait for a moment, as those of a key frame do, must
    /// not switch off a layer that needs two steady seconds to return. Neither does a dip of the total of less than a
    /// second. What is reserved is taken from the largest layer first.
    ///
    /// - Parameters:
    ///   - indices: the layers that are switched on.
    ///   - settings: the settings of all layers.
    ///   - allocator: the allocator of the last split; it becomes that of this one.
    mutating func split(
        among indices: [Int], of settings: [LayerSettings], _ allocator: inout BitrateAllocator?
    ) -> [Bitrate] {
        let rates = indices.map { index in
            var layer = BitrateAllocator.Layer(settings[index])
            if !layers.isEmpty { layer.minimum = min(layers[index].minimumBitrate, layer.target) }
            return layer
        }
        var next = BitrateAllocator(layers: rates, keepingActive: allocator)
        let split = next.split(total, steady: steady ?? total, recent: highest)
        allocator = next
        var result = indices.indices.map { split[$0] }
        for (place, index) in indices.enumerated() { shares[index] = result[place] }
        var left = reserved
        for place in result.indices.sorted(by: { result[$0] > result[$1] }) {
            let rate = result[place].bitsPerSecond
            let taken = min(left, rate - Int(Double(rate) * Self.minimumShare))
            result[place] = Bitrate(bitsPerSecond: rate - taken)
            left -= taken
        }
        return result
    }

    /// Fits a layer to its share. Returns its reduction if that changes.
    mutating func fit(_ index: Int, at now: MediaTime) -> Degradation? {
        layers.isEmpty ? nil : layers[index].fit(shares[index], at: now)
    }

    /// Notes a delta frame that a layer encoded.
    mutating func add(_ frame: EncodedFrame, quantizer: Int?, layer index: Int) {
        guard !layers.isEmpty else { return }
        layers[index].add(
            byteCount: frame.byteCount, quantizer: quantizer, of: frame.resolution, at: frame.captureTime)
    }

    /// The reduction of a layer.
    func degradation(of index: Int) -> Degradation { layers.isEmpty ? .none : layers[index].degradation }
}

/// The minimum of the last two seconds, and the maximum of the last one, in slots of a quarter.
private struct RecentTotals: Sendable {
    private var slots = InlineArray<8, (least: Bitrate, most: Bitrate)?>(repeating: nil)
    private var newest: Int64?
    private static let slotDuration: Int64 = 250_000_000
    private static let maximumSlots: Int64 = 4

    /// Adds a value. Returns both.
    mutating func add(_ value: Bitrate, at now: MediaTime) -> (minimum: Bitrate?, maximum: Bitrate?) {
        let slot = max(now.nanoseconds / Self.slotDuration, newest ?? .min)
        // Slots that passed without a frame are empty.
        let first = max((newest ?? slot) + 1, slot - Int64(slots.count) + 1)
        if first <= slot { for skipped in first...slot { slots[Self.place(skipped)] = nil } }
        newest = slot
        let old = slots[Self.place(slot)] ?? (value, value)
        slots[Self.place(slot)] = (min(old.least, value), max(old.most, value))
        var (minimum, maximum) = (value, value)
        for age in 0..<Int64(slots.count) {
            guard let found = slots[Self.place(slot - age)] else { continue }
            minimum = min(minimum, found.least)
            if age < Self.maximumSlots { maximum = max(maximum, found.most) }
        }
        return (minimum, maximum)
    }

    private static func place(_ slot: Int64) -> Int { Int(truncatingIfNeeded: slot) & 7 }
}
