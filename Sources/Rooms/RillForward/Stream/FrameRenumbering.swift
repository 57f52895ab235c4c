import RillCore

/// Counts the frames of a layer that arrived, without gaps: who gets all of them from a key frame on must not take the
/// publisher's losses for losses of its own.
struct FrameRenumbering: Sendable {
    /// The publisher's numbers of the newest frames, by ours modulo the capacity.
    private var known: [Int64] = []
    private var next: Int64 = 0

    /// Further back than any reference reaches.
    private static let capacity: Int64 = 64

    /// Numbers the next frame. References that are not known any more are left out.
    mutating func number(_ frame: EncodedFrame) -> EncodedFrame {
        var renumbered = frame
        let number = next
        next += 1
        renumbered.number = number
        var references = FrameReferences()
        for index in 0..<frame.references.count {
            if let known = find(frame.references[index], before: number) { references.append(known) }
        }
        renumbered.references = references
        if known.count < Int(FrameRenumbering.capacity) {
            known.append(frame.number)
        } else {
            known[Int(number % FrameRenumbering.capacity)] = frame.number
        }
        return renumbered
    }

    private func find(_ theirs: Int64, before number: Int64) -> Int64? {
        var ours = number - 1
        // Usually the previous one.
        while ours >= 0, ours >= number - Int64(known.count) {
            if known[Int(ours % FrameRenumbering.capacity)] == theirs { return ours }
            ours -= 1
        }
        return nil
    }
}
