import Rill
import RillCore

/// The JSON summary of a camera's statistics.
struct CameraSummary: Encodable {
    var mode: String
    var framesCaptured: Int
    var framesMissed: Int
    var gaps: Int
    var errorFrames: Int
    var replacedStamps: Int
    var stalls: Int
    var losses: Int
    var reopenings: Int

    init(_ mode: CameraMode, _ statistics: CameraStatistics) {
        self.mode = mode.description
        framesCaptured = statistics.framesCaptured
        framesMissed = statistics.framesMissed
        gaps = statistics.gaps
        errorFrames = statistics.errorFrames
        replacedStamps = statistics.timestampFaults.count
        stalls = statistics.stalls
        losses = statistics.losses
        reopenings = statistics.reopenings
    }
}
