public import RillCore

/// Numbers pictures so that those that follow each other unchanged have one number: for what need not be coded again.
///
///     var changes = PictureChangeCounter()
///     let number = changes.add(frame)
///     if number != lastCoded { encode(frame); lastCoded = number }
///
/// A pure value. It keeps the newest picture, and with it one buffer of its pool. Cost: see
/// ``RillCore/VideoFrame/hasSamePixels(as:)``; no allocation.
public struct PictureChangeCounter: Sendable {
    /// The newest picture's number; 0 before the first.
    public private(set) var number = 0
    private var newest: VideoFrame?

    /// A counter that has seen no picture.
    public init() {}

    /// Takes the next picture; gives its number, one more than that of the picture before it, unless both are the same.
    public mutating func add(_ frame: VideoFrame) -> Int {
        let isSame = newest?.hasSamePixels(as: frame) ?? false
        if !isSame { number += 1 }
        // Also when it is the same: the buffer of the older one is free to return.
        newest = frame
        return number
    }
}
