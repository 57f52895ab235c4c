import RillCodec
public import RillCore
import RillFiles
import RillImage
import RillRTP

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

/// A time in which one picture was shown too long.
public struct Freeze: Encodable, Sendable, Equatable {
    /// When the last picture before it was shown.
    public var start: MediaTime
    /// When the next picture was shown.
    public var end: MediaTime
    /// Whether it is a freeze by W3C's rule, relative to the frames before (``RillReceive/FreezeMeter``).
    public var isFreeze: Bool
    /// Whether it is a freeze by the rule of call SDKs: longer than 500 ms.
    public var isLongGap: Bool

    /// Its duration.
    public var duration: MediaDuration { end - start }
}

/// A freeze with the pictures before and after it.
public struct PicturedFreeze: Sendable {
    /// The freeze.
    public var freeze: Freeze
    /// The frozen picture.
    public var before: Thumbnail
    /// The picture that ended it.
    public var after: Thumbnail
}

/// A picture for a page.
public struct Thumbnail: Sendable {
    /// When the picture was shown.
    public var time: MediaTime
    /// Its size here.
    public var resolution: Resolution
    /// A file that browsers show: ``RillFiles/WebPPicture``.
    public var webP: [UInt8]
}

extension Thumbnail {
    /// Codes a picture.
    ///
    /// - Parameters:
    ///   - picture: an I420 picture of any size.
    ///   - time: when it was shown.
    ///   - quantizer: libvpx's quantizer, 0 (best) to 63.
    package init(of picture: VideoFrame, at time: MediaTime, quantizer: Int) throws {
        var settings = EncoderSettings(.default)
        settings.quantizers = quantizer...quantizer
        let encoder = try VPXEncoder(
            settings, layer: StreamLayer(rid: "thumbnail"), resolution: picture.resolution, frameRate: 1,
            bitrate: .megabits(1))
        var file: [UInt8] = []
        try encoder.encode(picture, isKeyFrame: true) { _, payload in file = WebPPicture.bytes(ofKeyFrame: payload) }
        self.init(time: time, resolution: picture.resolution, webP: file)
    }
}
