public import RillCore

/// Numbers pictures so that consecutive unchanged ones share a number, and need not be coded again.
///
/// ```swift
/// var changes = PictureChangeCounter()
/// let number = changes.add(frame)
/// if number != lastCoded { encode(frame); lastCoded = number }
/// ```
///
/// A pure value. It keeps the latest picture, and so one buffer of its pool. Cost: see
/// ``RillCore/VideoFrame/hasSamePixels(as:)``; no allocation.
public struct PictureChangeCounter: Sendable {
    /// The latest picture's number; 0 before the first.
    public private(set) var number = 0
    private var newest: VideoFrame?

    /// Creates a counter that has seen no picture.
    public init() {}

    /// Adds the next picture. Returns its number: one more than the previous picture's, unless both are the same.
    public mutating func add(_ frame: VideoFrame) -> Int {
        let isSame = newest?.hasSamePixels(as: frame) ?? false
        if !isSame { number += 1 }
        // Also if it is the same, so that the older buffer can return.
        newest = frame
        return number
    }
}
