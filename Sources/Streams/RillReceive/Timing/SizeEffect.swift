import Glibc
import RillCore

/// Estimates how much longer a larger frame takes in transit: the time that a narrow link needs per byte.
///
/// It is the least squares line through the steps from one frame to the next, transit against size, in which a step's
/// weight falls by a factor of e every three seconds. A Kalman filter of that state gives the same if the link
/// changes (Google congestion control has one, Carlucci et al. 2016). The slope is only used as far as it is certain,
/// two standard deviations on the safe side: where jitter hides the effect of size, there is none to prepare for.
struct SizeEffect: Sendable {
    /// Weighted sums over the steps: the weights, and products of size (bytes) and transit (milliseconds).
    private var weight = 0.0
    private var sizeSize = 0.0
    private var sizeTransit = 0.0
    private var transitTransit = 0.0
    private var last: (transit: Int64, byteCount: Int, time: MediaTime)?

    private static let memory = MediaDuration.seconds(3)
    /// The weight that an estimate needs.
    private static let minimumWeight = 8.0

    /// Adds a frame that became complete at `now`, in order and without repair; `transit` in nanoseconds.
    mutating func add(transit: Int64, byteCount: Int, at now: MediaTime) {
        defer { last = (transit, byteCount, now) }
        guard let last else { return }
        let age = Double((now - last.time).nanoseconds) / Double(SizeEffect.memory.nanoseconds)
        // Accurate to a millionth for the usual time between two frames, at a third of the cost.
        let fading = age < 0.05 ? 1 / (1 + age * (1 + age * (1 / 2 + age / 6))) : exp(-age)
        let step = Double(transit - last.transit) / 1e6
        let growth = Double(byteCount - last.byteCount)
        weight = weight * fading + 1
        sizeSize = sizeSize * fading + growth * growth
        sizeTransit = sizeTransit * fading + growth * step
        transitTransit = transitTransit * fading + step * step
    }

    /// Returns how much longer a frame takes that is larger by `count` bytes, in nanoseconds, as far as that is
    /// certain.
    func delay(ofBytes count: Int64) -> Int64 {
        guard weight >= SizeEffect.minimumWeight, sizeSize > 0 else { return 0 }
        let slope = sizeTransit / sizeSize
        let noise = max(0, transitTransit - slope * sizeTransit) / weight
        let certain = max(0, slope - 2 * (noise / sizeSize).squareRoot())
        // No frame is awaited for longer than a second.
        return Int64(min(1e9, certain * Double(count) * 1e6))
    }
}
