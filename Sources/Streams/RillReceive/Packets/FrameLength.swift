/// The typical number of packets per frame, not counting key frames.
struct FrameLength: Sendable {
    /// The mean, in sixteenths of a packet; each frame moves it by an eighth of the difference.
    private var mean = 0

    /// The upper bound: more are rarely lost at once, and most frames have fewer.
    static let maximum = 8

    /// Notes a delta frame.
    mutating func note(packetCount: Int) {
        let count = 16 * min(packetCount, FrameLength.maximum)
        mean = mean == 0 ? count : mean + (count - mean) / 8
    }

    /// The likely number of packets in the next frame; at least one.
    var packetCount: Int { max(1, (mean + 8) / 16) }
}
