/// The age of each macroblock: how many pictures ago it last changed, and the kind of that change.
///
/// When a person enters or leaves, or the exposure changes, many blocks are coded coarsely at first. An encoder
/// refines them over the next pictures, but only if the blocks are coded.
struct BlockAges: Sendable {
    /// Pictures for which a block that changed with many others is coded, even if it seems to stand still. libvpx
    /// refines one of twenty blocks in each frame.
    static let wait: UInt8 = 16
    /// Pictures after which a change is a new one. In what moves, blocks change again and again.
    private static let rest: UInt8 = 4
    /// The share of blocks with a new change from which on a picture shows something else.
    private static let newShare = 0.03

    /// Pictures since the last change, up to 255.
    private var ages: [UInt8]
    /// Blocks of the picture with a new change.
    private var newCount = 0
    /// Bit n is set if the picture n + 1 before this one showed something else.
    private var news: UInt32 = 0

    /// Creates the state of `count` macroblocks, none of which has changed yet.
    init(count: Int) { ages = Array(repeating: .max, count: count) }

    /// Whether much of the picture changed that was at rest. A reference older than the last frame may show what comes
    /// back.
    var showsNews: Bool { Double(newCount) > Self.newShare * Double(ages.count) }

    /// Call it before the blocks of each picture.
    mutating func beginPicture() {
        news = news &<< 1 | (showsNews ? 1 : 0)
        newCount = 0
    }

    /// Records whether a macroblock changed. Call it at most once per picture.
    ///
    /// - Returns: whether the block may be skipped: its last change is old enough, or was not new content.
    @inline(__always)
    mutating func add(_ index: Int, isChanged: Bool) -> Bool {
        guard !isChanged else {
            newCount &+= ages[index] >= Self.rest ? 1 : 0
            ages[index] = 0
            return false
        }
        let age = ages[index] == .max ? .max : ages[index] &+ 1
        ages[index] = age
        return age >= Self.wait || news &>> UInt32(age &- 1) & 1 == 0
    }
}
