import RillCore
import RillSecurity
import RillTestSupport
import Testing

@testable import Rill

/// Two ends of a call whose frames are encrypted from end to end, each with its own threads.
@Suite struct EncryptedCallTests {
    private static func encryption(_ secret: String = "tulip", _ suite: SFrameSuite = .aes256GCM) throws
        -> FrameEncryption
    {
        try FrameEncryption(secret: secret, room: "monday", suite)
    }

    @Test func `With one secret both layers are shown both ways, under loss and over fifty rotations`() async throws {
        let key = SRTPKey.generate()
        let encryptions = try (Self.encryption(), Self.encryption())
        let one = try CallEnd("one", key, loss: 0.05, seed: 1, encryption: encryptions.0)
        let two = try CallEnd("two", key, loss: 0.05, seed: 2, encryption: encryptions.1)
        try one.meet(two)
        try two.meet(one)
        for _ in 0..<50 {
            try encryptions.0.rotate()
            try encryptions.1.rotate()
            try await Task.sleep(for: .milliseconds(40))
        }
        let isShown = try await eventually { one.isShowingBoth(pictures: 60) && two.isShowingBoth(pictures: 60) }
        #expect(isShown, "\(one.call.statistics)\n\(two.call.statistics)")
        await one.call.end()
        await two.call.end()
        for end in [one, two] {
            let statistics = end.call.statistics
            #expect(statistics.sealed?.keyChanges == 50 && (statistics.sealed?.frames ?? 0) > 60)
            #expect((statistics.opened?.opened ?? 0) > 60 && statistics.opened?.refused == 0, "\(statistics.opened)")
            #expect(end.log.contains("\(end.other)'s high layer can be opened"))
            #expect(end.sinks.allSatisfy { $0.isFinished })
        }
    }

    @Test func `With another secret nothing is shown, and both learn why; with the same one pictures come`()
        async throws
    {
        let key = SRTPKey.generate()
        let encryptions = try (Self.encryption(), Self.encryption("rose"))
        let one = try CallEnd("one", key, encryption: encryptions.0)
        let two = try CallEnd("two", key, encryption: encryptions.1)
        try one.meet(two)
        try two.meet(one)
        let isTold = try await eventually {
            [one, two].allSatisfy { end in
                ["high", "low"].allSatisfy { layer in
                    end.log.lines.contains {
                        $0.hasPrefix("\(end.other)'s \(layer) layer cannot be opened: wrongKey")
                    }
                }
            }
        }
        #expect(isTold, "\(one.log.lines)\n\(two.log.lines)")
        for end in [one, two] {
            let shown = end.call.statistics.participants.flatMap(\.shown)
            #expect(shown.count == 2 && end.sinks.allSatisfy { $0.count == 0 })
            #expect(shown.allSatisfy { $0.received.decoder == DecoderStatistics() && $0.received.stream.pliCount == 0 })
        }
        try encryptions.1.change(to: SFrameSecret("tulip", room: "monday"))
        let isShown = try await eventually { one.isShowingBoth(pictures: 10) && two.isShowingBoth(pictures: 10) }
        #expect(isShown, "\(one.call.statistics)\n\(two.call.statistics)")
        await one.call.end()
        await two.call.end()
    }
}
