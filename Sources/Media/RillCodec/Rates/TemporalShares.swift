public import RillCore

/// The shares of a stream's bits that its temporal layers get.
///
/// A layer's target in libvpx includes the layers below it, so these are cumulative. The shares are libwebrtc's: a
/// poorer base layer would degrade the picture for all receivers.
public struct TemporalShares: Equatable, Sendable {
    /// The number of layers, 1 to 3.
    public let count: Int

    /// Creates the shares of a stream of one to three temporal layers. Any other number traps.
    public init(count: Int) {
        precondition(TemporalShares.range.contains(count), "a stream has 1 to 3 temporal layers, not \(count)")
        self.count = count
    }

    /// The supported numbers of temporal layers.
    public static let range = 1...3

    /// Returns the share of layers 0 to `index` together, in percent.
    public func percentage(upTo index: Int) -> Int {
        precondition((0..<count).contains(index), "temporal layer \(index) of \(count)")
        return switch (count, index) {
        case (2, 0): 60
        case (3, 0): 40
        case (3, 1): 60
        default: 100
        }
    }

    /// Returns the part of `bitrate` for layers 0 to `index` together, rounded down.
    public func bitrate(upTo index: Int, of bitrate: Bitrate) -> Bitrate {
        // Divided first, since a rate near the end of its range would overflow the multiplication.
        let (whole, rest) = bitrate.bitsPerSecond.quotientAndRemainder(dividingBy: 100)
        let percentage = percentage(upTo: index)
        return Bitrate(bitsPerSecond: whole * percentage + rest * percentage / 100)
    }
}
