import RillRTP

/// Remembers the FIR commands that were carried out, by requester and sequence number (RFC 5104 §4.3.1.2).
///
/// It stores the latest command of up to eight requesters; a ninth replaces the one known for longest. Inventing
/// requesters therefore yields only a few extra key frames, which the coalescer spaces out.
struct FullIntraRequestFilter {
    private var commands = InlineArray<8, Command?>(repeating: nil)
    private var oldest = 0

    private struct Command {
        var requester: SSRC
        var number: UInt8
    }

    /// Returns whether this command repeats the latest command of the requester.
    func isRepetition(of number: UInt8, from requester: SSRC) -> Bool {
        guard let index = index(of: requester) else { return false }
        return commands[index]?.number == number
    }

    /// Records a command that is being carried out.
    mutating func note(_ number: UInt8, from requester: SSRC) {
        let command = Command(requester: requester, number: number)
        if let index = index(of: requester) {
            commands[index] = command
        } else {
            commands[oldest] = command
            oldest = (oldest + 1) % commands.count
        }
    }

    private func index(of requester: SSRC) -> Int? {
        commands.indices.first { commands[$0]?.requester == requester }
    }
}
