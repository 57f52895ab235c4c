import RillRTP

/// Knows the FIR commands that were carried out, by who gave them and their number (RFC 5104 §4.3.1.2).
///
/// It remembers the newest command of each of eight requesters; a ninth takes the place of the one that has been known
/// longest, so that inventing requesters gains nobody more than a few key frames, which the coalescer spaces.
struct FullIntraRequestFilter {
    private var commands = InlineArray<8, Command?>(repeating: nil)
    private var oldest = 0

    private struct Command {
        var requester: SSRC
        var number: UInt8
    }

    /// Whether this is the command that this requester gave last, again.
    func isRepetition(of number: UInt8, from requester: SSRC) -> Bool {
        guard let index = index(of: requester) else { return false }
        return commands[index]?.number == number
    }

    /// Takes note of a command that is being carried out.
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
