import RillSecurity

/// Seals and opens frames of 6 kB by SFrame. The frames to open were sealed in advance; after the last one the opener
/// begins again, since no frame opens twice.
final class FrameSecurityBench {
    private struct Keys: SFrameKeys {
        func key(for id: SFrameKeyID) -> SFrameKey? {
            let bytes = (0..<32).map { UInt8($0) }
            return try? SFrameKey(bytes.span)  // 32 bytes are enough
        }
    }

    private var sealer: SFrameSealer
    private var opener: SFrameOpener
    private let suite: SFrameSuite
    private let frame = (0..<6000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    private var output = [UInt8](repeating: 0, count: 8192)
    private let wire: [[UInt8]]
    private var place = 0

    private static let wireFrameCount = 6000
    private static let id = SFrameKeyID(sender: 1 << 60)

    init(_ suite: SFrameSuite) throws {
        self.suite = suite
        sealer = try SFrameSealer(Keys(), Self.id, suite)
        opener = SFrameOpener(Keys(), suite)
        var sender = try SFrameSealer(Keys(), Self.id, suite)
        var wire: [[UInt8]] = []
        let frame = frame
        for _ in 0..<Self.wireFrameCount {
            wire.append([UInt8](capacity: 8192) { _ = sender.seal(frame.span, .picture, into: &$0) })
        }
        self.wire = wire
    }

    func seal(frames count: Int) throws -> Int {
        var sum = 0
        let frame = frame
        for _ in 0..<count {
            sum &+= try write { output in
                guard case .sealed(let byteCount) = sealer.seal(frame.span, .picture, into: &output) else { return 0 }
                return byteCount
            }
        }
        return sum
    }

    func open(frames count: Int) throws -> Int {
        var sum = 0
        for _ in 0..<count {
            if place == 0 { opener = SFrameOpener(Keys(), suite) }
            let protected = wire[place]
            sum &+= try write { output in
                opener.open(protected.span, .picture, into: &output).isOpened ? output.count : 0
            }
            place = (place + 1) % Self.wireFrameCount
        }
        return sum
    }

    private func write(_ body: (inout OutputSpan<UInt8>) -> Int) throws -> Int {
        let byteCount = output.withUnsafeMutableBufferPointer { buffer in
            var output = OutputSpan(buffer: buffer, initializedCount: 0)
            let byteCount = body(&output)
            _ = output.finalize(for: buffer)
            return byteCount
        }
        guard byteCount > 0 else { throw NoResult() }
        return byteCount
    }
}
