import RillCore

/// The time from one frame of the stream to the next, according to their timestamps.
struct FrameInterval: Sendable {
    /// The last step; zero while unknown.
    private(set) var last = MediaDuration.zero
    /// Whether the previous step was the same, within a tenth.
    private(set) var isRegular = false

    /// A longer step of timestamps is a pause, not a frame rate.
    static let maximum = MediaDuration.seconds(10)

    /// Notes the step of timestamps from one frame to the directly following one.
    mutating func note(_ step: MediaDuration) {
        guard step > .zero, step <= FrameInterval.maximum else { return }
        isRegular = abs((step - last).nanoseconds) <= last.nanoseconds / 10
        last = step
    }
}
