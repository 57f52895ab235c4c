import RillCore
import RillTestSupport
import Testing

@testable import RillSecurity

/// Streams of protected frames, as networks, forwarders and changing members treat them.
@Suite struct FrameStreamTests {
    private static let sender = SFrameKeyID(sender: 0x1234_5678_9ABC)

    @Test(arguments: [SFrameSuite.aes128GCM, .aes256GCM])
    func `Loss, reordering, duplicates and 50 rotations lose no frame, and none opens twice`(suite: SFrameSuite) throws
    {
        var random = SeededGenerator(seed: 54)
        var sealer = try SFrameSealer(NumberedKeys(secret: 9), Self.sender, suite)
        var opener = SFrameOpener(NumberedKeys(secret: 9), suite)
        var (wire, epochs): ([(number: Int, bytes: [UInt8])], Set<SFrameKeyID>) = ([], [])
        let count = 5_100
        for number in 0..<count {
            if number % 100 == 99, number / 100 < 50 { try sealer.rotate() }
            epochs.insert(sealer.keyID)
            wire.append((number, sealer.sealed(codedFrame(number))))
        }
        #expect(sealer.statistics.keyChanges == 50 && sealer.statistics.frames == count && epochs.count == 8)
        // Each within 40 places of its own, over the rotations too.
        var arrivals: [(place: Int, frame: (number: Int, bytes: [UInt8]))] = []
        var lost = 0
        for frame in wire {
            guard random.next() % 20 != 0 else {
                lost += 1
                continue
            }
            for _ in 0...(random.next() % 10 == 0 ? 1 : 0) {
                arrivals.append((frame.number + Int(random.next() % 40), frame))
            }
        }
        arrivals.sort { $0.place < $1.place }
        var opened: Set<Int> = []
        var replayed = 0
        for (_, frame) in arrivals {
            let (outcome, bytes) = opener.opened(frame.bytes)
            switch outcome {
            case .opened:
                let isNew = opened.insert(frame.number).inserted
                #expect(isNew && bytes == codedFrame(frame.number), "\(frame.number)")
            case .replayed:
                replayed += 1
                let isKnown = opened.contains(frame.number)
                #expect(isKnown, "\(frame.number)")
            default: Issue.record("\(frame.number): \(outcome)")
            }
        }
        #expect(opened.count == count - lost && lost > 150)
        #expect(replayed == arrivals.count - opened.count && replayed > 300)
        #expect(opener.statistics.opened == opened.count && opener.statistics.replayed == replayed)
        #expect(opener.keyCount == 8 && opener.statistics.keysTaken == 8 && opener.statistics.refused == replayed)
    }

    @Test func `No counter is used twice, whatever the epoch`() throws {
        var sealer = try SFrameSealer(NumberedKeys(secret: 9), Self.sender)
        var counters: Set<UInt64> = []
        for number in 0..<2_000 {
            if number % 7 == 0 { try sealer.rotate() }
            let media: SFrameMedia = number % 2 == 0 ? .picture : .sound
            let protected = sealer.sealed(codedFrame(0), media)
            let header = header(protected, media)
            #expect(header?.keyID == sealer.keyID)
            counters.insert(try #require(header?.counter))
        }
        #expect(counters.count == 2_000)
    }

    @Test func `A frame behind the window is too old, and one at its end opens`() throws {
        let keys = NumberedKeys(secret: 9)
        var sealer = try SFrameSealer(keys, Self.sender)
        let frames = (0..<3_000).map { sealer.sealed(codedFrame($0)) }
        for newest in [1_023, 1_024, 1_500, 2_999] {
            var opener = SFrameOpener(keys)
            #expect(opener.opened(frames[newest]).outcome == .opened(Self.sender))
            #expect(opener.opened(frames[newest - 1_023]).outcome == .opened(Self.sender))
            #expect(opener.opened(frames[newest - 1_023]).outcome == .replayed(Self.sender))
            guard newest > 1_023 else { continue }
            #expect(opener.opened(frames[newest - 1_024]).outcome == .tooOld(Self.sender))
            #expect(opener.statistics.tooOld == 1)
        }
        // All between, backwards, and each once.
        var opener = SFrameOpener(keys)
        for number in (1_976..<3_000).reversed() {
            #expect(opener.opened(frames[number]).outcome.isOpened, "\(number)")
        }
        for number in 1_976..<3_000 { #expect(opener.opened(frames[number]).outcome == .replayed(Self.sender)) }
        // A jump by the window's size, and by more, forgets what is behind it.
        for (first, second) in [(0, 1_023), (0, 1_024), (0, 2_500), (5, 1_029)] {
            var opener = SFrameOpener(keys)
            #expect(opener.opened(frames[first]).outcome.isOpened && opener.opened(frames[second]).outcome.isOpened)
            let between = second - 700
            #expect(opener.opened(frames[between]).outcome.isOpened, "\(first), \(second)")
            #expect(opener.opened(frames[second]).outcome == .replayed(Self.sender))
        }
    }

    @Test func `A frame that was changed does not count as seen`() throws {
        let keys = NumberedKeys(secret: 9)
        var sealer = try SFrameSealer(keys, Self.sender)
        var opener = SFrameOpener(keys)
        #expect(opener.opened(sealer.sealed(codedFrame(0))).outcome.isOpened)
        let frame = sealer.sealed(codedFrame(1))
        var changed = frame
        changed[frame.count - 4] ^= 1
        #expect(opener.opened(changed).outcome == .wrongKey(Self.sender))
        #expect(opener.opened(frame).outcome == .opened(Self.sender))
    }

    @Test func `A missing, another and our own key are named`() throws {
        var sealer = try SFrameSealer(NumberedKeys(secret: 9), Self.sender)
        let frame = sealer.sealed(codedFrame(0))
        var without = SFrameOpener(ListedKeys())
        #expect(without.opened(frame).outcome == .noKey(Self.sender) && without.keyCount == 0)
        var other = SFrameOpener(NumberedKeys(secret: 10))
        #expect(other.opened(frame).outcome == .wrongKey(Self.sender) && other.keyCount == 0)
        var own = SFrameOpener(NumberedKeys(secret: 9), own: Self.sender.sender)
        #expect(own.opened(frame).outcome == .reflected && own.statistics.reflected == 1)
        var otherSuite = SFrameOpener(NumberedKeys(secret: 9), .aes256GCM)
        #expect(otherSuite.opened(frame).outcome == .wrongKey(Self.sender))
        #expect(without.statistics.noKey == 1 && other.statistics.wrongKey == 1)
        // The key comes.
        var keys = ListedKeys()
        keys.keys[Self.sender] = NumberedKeys(secret: 9).key(for: Self.sender)
        without.change(to: keys)
        #expect(without.opened(frame).frame == codedFrame(0))
    }

    @Test func `Who leaves reads nothing of the next keys, and is not believed once the former are removed`() throws {
        let (former, next) = (NumberedKeys(secret: 9), NumberedKeys(secret: 10))
        var sealer = try SFrameSealer(former, Self.sender)
        var staying = SFrameOpener(former)
        var leaving = SFrameOpener(former)
        let early = sealer.sealed(codedFrame(0))
        let late = sealer.sealed(codedFrame(1))
        #expect(staying.opened(early).outcome.isOpened && leaving.opened(early).outcome.isOpened)
        try sealer.change(to: next)
        staying.change(to: next)
        let frame = sealer.sealed(codedFrame(2))
        #expect(leaving.opened(frame).outcome == .wrongKey(Self.sender.next))
        #expect(staying.opened(frame).frame == codedFrame(2))
        // On its way while the keys changed.
        #expect(staying.opened(late).frame == codedFrame(1))
        staying.removeFormerKeys()
        var forger = try SFrameSealer(former, SFrameKeyID(sender: 5))
        #expect(staying.opened(forger.sealed(codedFrame(3))).outcome == .wrongKey(SFrameKeyID(sender: 5)))
        #expect(staying.keyCount == 1 && staying.opened(early).outcome == .wrongKey(Self.sender))
    }

    @Test func `A KID that comes back with another key is opened, and forgets the former`() throws {
        var keys = ListedKeys()
        keys.keys[Self.sender] = ListedKeys.key(1)
        var first = try SFrameSealer(keys, Self.sender)
        var opener = SFrameOpener(keys)
        let old = first.sealed(codedFrame(0))
        #expect(opener.opened(old).outcome.isOpened)
        keys.keys[Self.sender] = ListedKeys.key(2)
        opener.change(to: keys)
        var second = try SFrameSealer(keys, Self.sender)
        #expect(opener.opened(second.sealed(codedFrame(1))).frame == codedFrame(1))
        #expect(!opener.opened(old).outcome.isOpened)
        #expect(opener.keyCount == 1)
    }

    @Test func `The table of keys has a limit, and keeps those in use`() throws {
        let keys = NumberedKeys(secret: 9)
        var opener = SFrameOpener(keys, keyLimit: 4)
        var steady = try SFrameSealer(keys, Self.sender)
        for sender in 0..<100 {
            #expect(opener.opened(steady.sealed(codedFrame(sender))).outcome.isOpened)
            var other = try SFrameSealer(keys, SFrameKeyID(sender: UInt64(sender)))
            #expect(opener.opened(other.sealed(codedFrame(0))).outcome.isOpened)
            #expect(opener.keyCount <= 4)
        }
        #expect(opener.statistics.keysTaken == 101 && opener.statistics.keysDropped == 97)
        // Frames without a right key take no place.
        for sender in 0..<100 {
            var unknown = try SFrameSealer(NumberedKeys(secret: 10), SFrameKeyID(sender: UInt64(sender)))
            #expect(!opener.opened(unknown.sealed(codedFrame(0))).outcome.isOpened)
        }
        #expect(opener.statistics.keysTaken == 101 && opener.statistics.keysDropped == 97)
    }

    @Test func `Errors are named, and a failed change keeps the key`() throws {
        #expect(throws: SecurityError.secretTooShort(byteCount: 15, minimum: 16)) {
            try SFrameKey([UInt8](repeating: 0, count: 15).span)
        }
        #expect(throws: SecurityError.secretTooShort(byteCount: 0, minimum: 1)) { try SFrameSecret("", room: "monday") }
        #expect(throws: SecurityError.noSendingKey(keyID: Self.sender.rawValue)) {
            _ = try SFrameSealer(ListedKeys(), Self.sender)
        }
        var keys = ListedKeys()
        keys.keys[Self.sender] = ListedKeys.key(1)
        var sealer = try SFrameSealer(keys, Self.sender)
        #expect(throws: SecurityError.noSendingKey(keyID: Self.sender.next.rawValue)) { try sealer.rotate() }
        #expect(sealer.keyID == Self.sender && sealer.statistics.keyChanges == 0)
        var opener = SFrameOpener(keys)
        #expect(opener.opened(sealer.sealed(codedFrame(0))).outcome.isOpened)
        #expect("\(SecurityError.secretTooShort(byteCount: 1, minimum: 16))" == "the secret has 1 bytes: 16 are needed")
    }

    @Test func `Secrets, rooms and KIDs give keys of their own, and the same ones again`() throws {
        let secret = try SFrameSecret("tulip", room: "monday")
        let again = try SFrameSecret("tulip", room: "monday")
        let others: [any SFrameKeys] = [
            try SFrameSecret("tulips", room: "monday"), try SFrameSecret("tulip", room: "tuesday"),
        ]
        var sealer = try SFrameSealer(secret, Self.sender)
        let frame = sealer.sealed(codedFrame(0))
        var opener = SFrameOpener(again)
        #expect(opener.opened(frame).frame == codedFrame(0))
        for other in others {
            var opener = SFrameOpener(other)
            #expect(opener.opened(frame).outcome == .wrongKey(Self.sender))
        }
        var random = SeededGenerator(seed: 1)
        let drawn = (0..<100).map { _ in SFrameSecret.generate(using: &random) }
        #expect(Set(drawn).count == 100 && drawn.allSatisfy { $0.utf8.count == 22 })
        let ids = (0..<1000).map { _ in SFrameKeyID.random(using: &random) }
        #expect(Set(ids).count == 1000 && ids.allSatisfy { $0.epoch == 0 && $0.next.sender == $0.sender })
    }
}

private func header(_ protected: [UInt8], _ media: SFrameMedia) -> SFrameHeader? {
    SFrameHeader.parse(protected.span.extracting(droppingFirst: media.clearByteCount))?.header
}
