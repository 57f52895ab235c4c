import Rill
import RillCore

/// The low layer at another bitrate or rate than it has by itself: `45k@5`.
struct LowStream {
    var bitrate: Bitrate
    var framesPerSecond: Int

    init(notation: String) throws {
        let parts = notation.split(separator: "@")
        guard parts.count == 2, let rate = Int(parts[1]), (1...60).contains(rate) else {
            throw NotLowStream(notation: notation)
        }
        bitrate = try Bitrate(notation: String(parts[0]))
        framesPerSecond = rate
    }

    var settings: LayerSettings {
        var low = LayerSettings.low
        low.bitrate = bitrate
        low.frameRate = FrameRate(framesPerSecond)
        return low
    }

    private struct NotLowStream: Error, CustomStringConvertible {
        let notation: String
        var description: String { "\(notation): expected bitrate@rate, as in 45k@5" }
    }
}
