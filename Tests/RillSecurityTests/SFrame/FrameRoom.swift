import RillTestSupport

@testable import RillSecurity

/// Keys that a test sets one by one.
struct ListedKeys: SFrameKeys {
    var keys: [SFrameKeyID: SFrameKey] = [:]

    func key(for id: SFrameKeyID) -> SFrameKey? { keys[id] }

    /// A key of one byte, repeated.
    static func key(_ byte: UInt8, count: Int = 32) -> SFrameKey {
        do throws(SecurityError) { return try SFrameKey([UInt8](repeating: byte, count: count).span) } catch {
            preconditionFailure("a key of \(count) bytes: \(error)")
        }
    }
}

/// A key for each KID, drawn from a number that stands for the secret: as ``SFrameSecret``, without its rounds.
struct NumberedKeys: SFrameKeys {
    var secret: UInt64

    func key(for id: SFrameKeyID) -> SFrameKey? {
        let bytes = (0..<4).flatMap { place in
            let value = (id.rawValue ^ secret) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(place)
            return (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
        }
        return try? SFrameKey(bytes.span)  // 32 bytes are enough
    }
}

extension SFrameSealer {
    mutating func sealed(_ frame: [UInt8], _ media: SFrameMedia = .picture) -> [UInt8] {
        [UInt8](capacity: frame.count + overhead) { output in
            let outcome = seal(frame.span, media, into: &output)
            precondition(outcome == .sealed(byteCount: output.count) || output.count == 0)
        }
    }
}

extension SFrameOpener {
    mutating func opened(
        _ protected: [UInt8], _ media: SFrameMedia = .picture
    ) -> (outcome: SFrameOpenOutcome, frame: [UInt8]) {
        var outcome = SFrameOpenOutcome.malformed
        let frame = [UInt8](capacity: protected.count) { outcome = open(protected.span, media, into: &$0) }
        precondition(outcome.isOpened || frame.isEmpty, "a refused frame leaves nothing")
        return (outcome, frame)
    }
}

/// A frame of that size, whose bytes say which it is.
func codedFrame(_ number: Int, byteCount: Int = 300) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 5 &+ number &* 11) }
}
