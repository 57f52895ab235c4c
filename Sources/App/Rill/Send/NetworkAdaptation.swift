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
    /// How long a frame after a cut of the scene may take at its layer's bitrate.
    static let burstLimit = MediaDuration.milliseconds(120)

    /// Each layer's part of ``total``.
    private var shares: [Bitrate]
    /// Of each layer; empty if layers keep size and rate.
    private var layers: [BitrateAdaptation]
    private var recent = RecentMinimum()
    private var steady: Bitrate?

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

    /// Follows time. Returns whether another layer may be switched on: more has been there steadily than before.
    mutating func advance(to now: MediaTime) -> Bool {
        let before = steady
        let minimum = recent.add(total, at: now)
        steady = minimum
        return before.map { minimum > $0 } ?? true
    }

    /// Splits the total among layers, and returns what their next frames may have.
    ///
    /// The total alone decides which layers are sent: packets that wait for a moment, as those of a key frame do, must
    /// not switch off a layer that needs two steady seconds to return. What is reserved is taken from the largest layer
    /// first.
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
        let split = next.split(total, steady: steady ?? total)
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

/// The minimum of the last two seconds, in slots of a quarter.
private struct RecentMinimum: Sendable {
    private var slots = InlineArray<8, Bitrate?>(repeating: nil)
    private var newest: Int64?
    private static let slotDuration: Int64 = 250_000_000

    /// Adds a value. Returns the minimum.
    mutating func add(_ value: Bitrate, at now: MediaTime) -> Bitrate {
        let slot = max(now.nanoseconds / Self.slotDuration, newest ?? .min)
        // Slots that passed without a frame are empty.
        let first = max((newest ?? slot) + 1, slot - Int64(slots.count) + 1)
        if first <= slot { for skipped in first...slot { slots[Self.place(skipped)] = nil } }
        newest = slot
        let index = Self.place(slot)
        slots[index] = min(slots[index] ?? value, value)
        var minimum = value
        for index in 0..<slots.count { minimum = min(minimum, slots[index] ?? value) }
        return minimum
    }

    private static func place(_ slot: Int64) -> Int { Int(truncatingIfNeeded: slot) & 7 }
}
