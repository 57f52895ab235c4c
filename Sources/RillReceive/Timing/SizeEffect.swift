import Glibc
import RillCore

/// How much longer a larger frame takes on its way: the time that a narrow link needs for a byte.
///
/// The line of least squares through the steps from one frame to the next, transit against size, in which a step counts
/// by e less every three seconds: what a Kalman filter of that state comes to where the link changes (Google congestion
/// control has such a one, Carlucci et al. 2016). What it says is used only so far as it is certain, two standard
/// deviations to the safe side: where jitter hides the effect of size, there is none to prepare for.
struct SizeEffect: Sendable {
    /// Sums over the steps, each with its weight: their weights, and products of size (bytes) and transit (milliseconds).
    private var weight = 0.0
    private var sizeSize = 0.0
    private var sizeTransit = 0.0
    private var transitTransit = 0.0
    private var last: (transit: Int64, byteCount: Int, time: MediaTime)?

    private static let memory = MediaDuration.seconds(3)
    /// Steps that an estimate needs.
    private static let minimumWeight = 8.0

    /// Adds a frame that came whole at `now`, in order and without repair; `transit` in nanoseconds.
    mutating func add(transit: Int64, byteCount: Int, at now: MediaTime) {
        defer { last = (transit, byteCount, now) }
        guard let last else { return }
        let age = Double((now - last.time).nanoseconds) / Double(SizeEffect.memory.nanoseconds)
        // The same to a millionth for what lies between two frames, at a third of the cost.
        let fading = age < 0.05 ? 1 / (1 + age * (1 + age * (1 / 2 + age / 6))) : exp(-age)
        let step = Double(transit - last.transit) / 1e6
        let growth = Double(byteCount - last.byteCount)
        weight = weight * fading + 1
        sizeSize = sizeSize * fading + growth * growth
        sizeTransit = sizeTransit * fading + growth * step
        transitTransit = transitTransit * fading + step * step
    }

    /// How much longer a frame takes that is larger by so many bytes, in nanoseconds, as far as that is certain.
    func delay(ofBytes count: Int64) -> Int64 {
        guard weight >= SizeEffect.minimumWeight, sizeSize > 0 else { return 0 }
        let slope = sizeTransit / sizeSize
        let noise = max(0, transitTransit - slope * sizeTransit) / weight
        let certain = max(0, slope - 2 * (noise / sizeSize).squareRoot())
        // A second is more than any frame is waited for.
        return Int64(min(1e9, certain * Double(count) * 1e6))
    }
}
