import RillCore
import RillSecurity
import RillWireFuzzTargets

/// Protected frames: the first byte says of what and by which suite, the rest is the frame. One that opens is sealed
/// again to the same bytes, and does not open twice.
func fuzzSFrame(_ bytes: Span<UInt8>) {
    guard let (media, suite) = FuzzedSFrame.kind(bytes) else { return }
    let frame = bytes.extracting(droppingFirst: 1)
    var opener = SFrameOpener(FuzzedSFrame.Keys(), suite, keyLimit: 2)
    var outcome = SFrameOpenOutcome.failed
    let opened = [UInt8](capacity: frame.count) { output in outcome = opener.open(frame, media, into: &output) }
    precondition(opener.statistics.refused + opener.statistics.opened == 1)
    guard case .opened(let id) = outcome else {
        precondition(opened.isEmpty && opener.keyCount == 0, "a refused frame leaves nothing")
        return
    }
    precondition(opened.count < frame.count && opener.keyCount == 1)
    _ = [UInt8](capacity: frame.count) { output in
        precondition(opener.open(frame, media, into: &output) == .replayed(id), "a frame opens once")
    }
    // Nobody without the keys makes one: it is among the seeds.
    precondition(sframeSeeds().contains { $0.bytes == bytes.array }, "a forged frame")
}

func sframeSeeds() -> [FuzzTarget.Seed] {
    FuzzedSFrame.frames.map { FuzzTarget.Seed($0.name, bytes: $0.bytes) }
}

/// Good frames, of keys that are no secret.
enum FuzzedSFrame {
    struct Keys: SFrameKeys {
        func key(for id: SFrameKeyID) -> SFrameKey? {
            // Some KIDs have none.
            guard id.rawValue % 5 != 4 else { return nil }
            let bytes = (0..<32).map { UInt8(truncatingIfNeeded: Int(truncatingIfNeeded: id.rawValue) &+ $0) }
            return try? SFrameKey(bytes.span)  // 32 bytes are enough
        }
    }

    static func kind(_ bytes: Span<UInt8>) -> (SFrameMedia, SFrameSuite)? {
        guard !bytes.isEmpty, bytes[0] < 16, let suite = SFrameSuite(rawValue: UInt16(bytes[0] & 7)) else { return nil }
        return (bytes[0] & 8 == 0 ? .picture : .sound, suite)
    }

    static let frames: [(name: String, bytes: [UInt8])] = {
        var frames: [(name: String, bytes: [UInt8])] = []
        for suite in SFrameSuite.allCases {
            for (media, bit) in [(SFrameMedia.picture, 0 as UInt8), (.sound, 8)] {
                for (sender, byteCount) in [(UInt64(0), 40), (1 << 40 | 1, 7), (1 << 60 | 1, 1)] {
                    guard var sealer = try? SFrameSealer(Keys(), SFrameKeyID(sender: sender, epoch: 1), suite) else {
                        continue  // its key is missing
                    }
                    let frame = (0..<byteCount).map { UInt8($0) }
                    let bytes = [UInt8](capacity: 100) { output in
                        output.append(bit | UInt8(suite.rawValue))
                        _ = sealer.seal(frame.span, media, into: &output)
                    }
                    frames.append(("\(suite)-\(media)-\(byteCount)", bytes))
                }
            }
        }
        return frames
    }()
}
