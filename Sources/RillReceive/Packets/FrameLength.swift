/// How many packets the stream's frames have, key frames aside.
struct FrameLength: Sendable {
    /// The mean, in sixteenths of a packet; each frame moves it by an eighth of the difference.
    private var mean = 0

    /// The most that is said: more are seldom missed at once, and most frames have fewer.
    static let maximum = 8

    /// Notes a frame that is no key frame.
    mutating func note(packetCount: Int) {
        let count = 16 * min(packetCount, FrameLength.maximum)
        mean = mean == 0 ? count : mean + (count - mean) / 8
    }

    /// Packets that the next frame is likely to have; at least one.
    var packetCount: Int { max(1, (mean + 8) / 16) }
}
