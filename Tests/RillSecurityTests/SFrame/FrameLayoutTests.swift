import RillTestSupport
import Testing

@testable import RillSecurity

/// The layout of protected frames, which other programs make and read too.
@Suite struct FrameLayoutTests {
    private struct Vector {
        let suite: SFrameSuite
        let secret, room: String
        let id: SFrameKeyID
        let counter: UInt64
        let media: SFrameMedia
        let frame, protected: [UInt8]
    }

    private static func vectors() throws -> [Vector] {
        try String(decoding: read("\(folderOfThisFile())/frame-vectors.txt"), as: UTF8.self).split(separator: "\n")
            .map { line in
                let fields = line.split(separator: " ").map(String.init)
                return Vector(
                    suite: try #require(UInt16(fields[0]).flatMap(SFrameSuite.init)),
                    secret: String(decoding: bytes(fields[1]), as: UTF8.self),
                    room: String(decoding: bytes(fields[2]), as: UTF8.self),
                    id: SFrameKeyID(rawValue: try #require(UInt64(fields[3]))),
                    counter: try #require(UInt64(fields[4])), media: fields[5] == "sound" ? .sound : .picture,
                    frame: bytes(fields[6]), protected: bytes(fields[7]))
            }
    }

    @Test func `Frames of another program open, and ours equal them byte for byte`() throws {
        let vectors = try Self.vectors()
        #expect(vectors.count == 192)
        var secrets: [String: SFrameSecret] = [:]
        for vector in vectors {
            let secret = try secrets[vector.room] ?? SFrameSecret(vector.secret, room: vector.room)
            secrets[vector.room] = secret
            var opener = SFrameOpener(secret, vector.suite)
            let (outcome, frame) = opener.opened(vector.protected, vector.media)
            #expect(outcome == .opened(vector.id) && frame == vector.frame, "\(vector)")
            #expect(opener.opened(vector.protected, vector.media).outcome == .replayed(vector.id))

            guard vector.counter < 100_000 else { continue }
            var sealer = try SFrameSealer(secret, vector.id, vector.suite, counter: vector.counter)
            #expect(sealer.sealed(vector.frame, vector.media) == vector.protected, "\(vector)")
        }
        #expect(secrets.count == 2)
    }

    @Test func `With any one bit changed a frame of the layout is refused`() throws {
        let keys = NumberedKeys(secret: 1)
        for suite in [SFrameSuite.aes128GCM, .aes256GCM] {
            let cases: [(SFrameMedia, Int)] = [
                (.picture, 40), (.picture, 10), (.picture, 4), (.sound, 30), (.sound, 1),
            ]
            for (media, byteCount) in cases {
                var sealer = try SFrameSealer(keys, SFrameKeyID(sender: 77), suite)
                let protected = sealer.sealed(codedFrame(1, byteCount: byteCount), media)
                var opener = SFrameOpener(keys, suite)
                for bit in 0..<8 * protected.count {
                    var changed = protected
                    changed[bit / 8] ^= 1 << UInt8(bit % 8)
                    #expect(!opener.opened(changed, media).outcome.isOpened, "\(media), \(byteCount) bytes, bit \(bit)")
                }
                for count in 0..<protected.count {
                    #expect(!opener.opened(Array(protected.prefix(count)), media).outcome.isOpened)
                }
                #expect(!opener.opened(protected, media == .sound ? .picture : .sound).outcome.isOpened)
                #expect(opener.keyCount == 0 && opener.statistics.opened == 0)
                #expect(opener.opened(protected, media).outcome.isOpened)
            }
        }
    }

    @Test func `A forwarder reads the head of a picture, and no reader of VP9 takes the end for an index`() throws {
        var sealer = try SFrameSealer(NumberedKeys(secret: 1), SFrameKeyID(sender: 77))
        for number in 0..<500 {
            let frame = codedFrame(number, byteCount: 1 + number)
            let protected = sealer.sealed(frame)
            #expect(protected.prefix(10) == frame.prefix(10)[...] || frame.count < 10)
            #expect(protected.last.map { $0 & 0xE0 } == 0)
            // Nothing of the rest is readable, where there is enough of it to know.
            if frame.count > 20 { #expect(!protected.dropFirst(10).contains(frame.dropFirst(10).prefix(8))) }
        }
        #expect(sealer.sealed([]).isEmpty)
    }

    @Test func `Frames in the clear, and of later versions, are named`() throws {
        var opener = SFrameOpener(NumberedKeys(secret: 1))
        #expect(opener.opened([1, 2, 3, 0xC1]).outcome == .unknownLayout(0xC1))
        #expect(opener.opened([UInt8](repeating: 1, count: 60) + [10]).outcome == .unknownLayout(10))
        #expect(opener.opened([]).outcome == .malformed)
        #expect(opener.opened([UInt8](repeating: 0, count: 20)).outcome == .malformed)
        #expect(opener.statistics.unknownLayout == 2 && opener.statistics.malformed == 2)
        #expect(opener.statistics.refused == 4)
    }
}
