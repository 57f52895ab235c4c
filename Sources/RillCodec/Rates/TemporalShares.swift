public import RillCore

/// What part of a stream's bits its temporal layers get.
///
/// A layer's target in libvpx includes the layers below it, so both are here: what a layer has alone, and up to it. The
/// shares are libwebrtc's: a base layer poorer than its half would be a poor picture for all.
public struct TemporalShares: Equatable, Sendable {
    /// How many layers there are, 1 to 3.
    public let count: Int

    /// The shares of a stream of one to three temporal layers; another number is the programmer's mistake.
    public init(count: Int) {
        precondition(TemporalShares.range.contains(count), "a stream has 1 to 3 temporal layers, not \(count)")
        self.count = count
    }

    /// The numbers of temporal layers that there are shares for.
    public static let range = 1...3

    /// The percentage of the bits that layers 0 to `index` have together.
    public func percentage(upTo index: Int) -> Int {
        precondition((0..<count).contains(index), "temporal layer \(index) of \(count)")
        return switch (count, index) {
        case (2, 0): 60
        case (3, 0): 40
        case (3, 1): 60
        default: 100
        }
    }

    /// What layers 0 to `index` have together of `bitrate`, rounded down.
    public func bitrate(upTo index: Int, of bitrate: Bitrate) -> Bitrate {
        // Divided first: a rate near the end of its range would not survive the multiplication.
        let (whole, rest) = bitrate.bitsPerSecond.quotientAndRemainder(dividingBy: 100)
        let percentage = percentage(upTo: index)
        return Bitrate(bitsPerSecond: whole * percentage + rest * percentage / 100)
    }
}
