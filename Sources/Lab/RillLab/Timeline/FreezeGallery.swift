import RillCore
import RillImage

/// Keeps small copies of the pictures before and after the longest freezes.
///
/// The copies are in their own pool, so the decoder's pictures are released at once. Nothing is encoded before
/// ``pictured()`` is called.
struct FreezeGallery: Sendable {
    private var thumbnails: ResizingPool
    /// A copy of the last shown picture.
    private var newest: VideoFrame?
    /// The longest freezes, in chronological order.
    private var kept: [(freeze: Freeze, before: VideoFrame, after: VideoFrame)] = []

    /// The number of freezes that are kept.
    static let capacity = 12
    /// The longer side of the copies.
    private static let longSide = 160

    init() {
        // Two for each freeze, the newest one, and the next one.
        thumbnails = ResizingPool(capacity: 2 * Self.capacity + 2)
    }

    /// Notes a shown picture, and the freeze that it ends.
    mutating func add(_ picture: VideoFrame, ending freeze: Freeze?) {
        let previous = newest
        newest = small(picture)
        guard let freeze, let previous, let newest else { return }
        if kept.count == Self.capacity {
            guard let shortest = kept.indices.min(by: { kept[$0].freeze.duration < kept[$1].freeze.duration }),
                kept[shortest].freeze.duration < freeze.duration
            else { return }
            kept.remove(at: shortest)
        }
        kept.append((freeze, previous, newest))
    }

    private mutating func small(_ picture: VideoFrame) -> VideoFrame? {
        let resolution = Self.resolution(for: picture.resolution)
        // A size without a pool was never shown.
        guard let pool = try? thumbnails.pool(for: resolution) else { return nil }
        return picture.scaled(into: pool)
    }

    /// The same aspect ratio, even, and no larger than a thumbnail.
    static func resolution(for picture: Resolution) -> Resolution {
        let longer = max(picture.width, picture.height)
        guard longer > longSide else { return picture }
        func side(_ value: Int) -> Int { max(2, (value * longSide / longer + 1) & ~1) }
        return Resolution(width: side(picture.width), height: side(picture.height))
    }

    // MARK: Files

    /// Returns the freezes with their pictures as files, in chronological order.
    func pictured() throws -> [PicturedFreeze] {
        try kept.map { freeze, before, after in
            PicturedFreeze(
                freeze: freeze, before: try Thumbnail(of: before, at: freeze.start, quantizer: Self.quantizer),
                after: try Thumbnail(of: after, at: freeze.end, quantizer: Self.quantizer))
        }
    }

    /// libvpx's quantizer, of 63: about 3 kB for 160x120.
    private static let quantizer = 24
}
