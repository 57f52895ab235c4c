/// The counters of a KID that were opened: the newest 1024 are known one by one.
///
/// Frames of several layers have one counter, and each layer has a delay of its own. 1024 frames are 17 seconds of two
/// layers at 30 frames a second.
struct FrameReplayWindow {
    /// The newest counter that was opened; `nil` before the first.
    private var newest: UInt64?
    /// A bit for each counter, at its remainder by the size.
    private var bits = InlineArray<16, UInt64>(repeating: 0)

    static let size: UInt64 = 1024

    /// What is known of a counter.
    enum Check { case new, replayed, tooOld }

    func check(_ counter: UInt64) -> Check {
        guard let newest, counter <= newest else { return .new }
        guard newest - counter < FrameReplayWindow.size else { return .tooOld }
        return bits[FrameReplayWindow.word(counter)] & FrameReplayWindow.bit(counter) == 0 ? .new : .replayed
    }

    /// Notes that a frame with a new counter is authentic.
    mutating func record(_ counter: UInt64) {
        if let newest, counter > newest {
            if counter - newest >= FrameReplayWindow.size {
                bits = InlineArray(repeating: 0)
            } else {
                var passed = newest + 1
                while passed < counter {
                    bits[FrameReplayWindow.word(passed)] &= ~FrameReplayWindow.bit(passed)
                    passed += 1
                }
            }
        }
        newest = max(newest ?? counter, counter)
        bits[FrameReplayWindow.word(counter)] |= FrameReplayWindow.bit(counter)
    }

    private static func word(_ counter: UInt64) -> Int { Int(counter % size) / 64 }
    private static func bit(_ counter: UInt64) -> UInt64 { 1 << (counter % 64) }
}
