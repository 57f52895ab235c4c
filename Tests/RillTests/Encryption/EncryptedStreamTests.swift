import RillCore
import RillMediaSupport
import RillRTP
import RillReceive
import RillSecurity
import RillTestSupport
import Testing

@testable import Rill

/// One stream that is encrypted from end to end, from pictures to pictures, in virtual time.
@Suite struct EncryptedStreamTests {
    private static let resolution = Resolution(width: 96, height: 64)

    /// A sender and a receiver without a network between them.
    private final class Stream {
        let sender: PacketSender
        let screen = PictureRecording()
        let requests = FeedbackLog()
        let receiver: ReceivePipeline<FeedbackLog>
        /// The frames as they were encoded, and the packets that left.
        let plain = FrameLog()
        private(set) var packets: [[UInt8]] = []
        private let pictures: TestPictures
        private(set) var frameCount = 0
        var now = MediaTime.zero

        init(_ codec: VideoCodec = .vp8, sealing: FrameEncryption?, opening: FrameEncryption?) throws {
            var settings = SendSettings(layers: [.high(resolution, bitrate: .kilobits(300), codec: codec)], seed: 5)
            settings.encryption = sealing
            pictures = try TestPictures(resolution)
            sender = try PacketSender(settings, taps: SendTaps(encoded: plain))
            var receiving = try ReceiveSettings(sender.streams[0], ssrc: SSRC(1))
            receiving.encryption = opening
            receiver = try ReceivePipeline(receiving, sink: screen, feedback: requests)
        }

        /// Sends frames, of which those that `arrives` refuses do not arrive; requests reach the sender if they may.
        func run(
            _ count: Int, answers: Bool = true, arrives: (Int) -> Bool = { _ in true },
            before: (Int) throws -> Void = { _ in }
        ) throws {
            for _ in 0..<count {
                try before(frameCount)
                let picture = pictures.picture(frameCount)
                now = picture.captureTime
                var sent: [[UInt8]] = []
                try sender.send(picture, at: now, to: PacketTap { packet, _ in sent.append(packet.array) })
                packets += sent
                if arrives(frameCount) { for packet in sent { receiver.insert(packet.span, at: now) } }
                _ = try receiver.poll(at: now + .milliseconds(1))
                for packet in requests.take() where answers {
                    sender.receive(packet.span, at: now, retransmittingTo: PacketTap { _, _ in })
                }
                frameCount += 1
            }
        }

        /// Shows what is still held.
        func drain() throws {
            // A stream that waits for a key frame never comes to an end.
            let end = now + .seconds(2)
            while !receiver.isIdle, now < end { now = try receiver.poll(at: now) }
        }

        var opened: SFrameOpenStatistics { receiver.statistics.opened ?? SFrameOpenStatistics() }
        var keyFrameCount: Int { sender.statistics[0].encoder.keyFramesEncoded }
        var requestCount: Int { receiver.statistics.stream.pliCount }

        /// Whether 24 bytes of a frame's middle are somewhere in the packets.
        var hasPlainBytes: Bool {
            plain.frames.contains { frame in
                guard frame.count > 100 else { return false }
                let part = frame[50..<74]
                return packets.contains { $0.contains(part) }
            }
        }
    }

    private final class FeedbackLog: PacketSink {
        private var packets: [[UInt8]] = []

        func send(_ packet: Span<UInt8>, at time: MediaTime) { packets.append(packet.array) }

        func take() -> [[UInt8]] {
            defer { packets = [] }
            return packets
        }
    }

    private final class FrameLog: EncodedFrameSink, Sendable {
        private let log = Monitor([[UInt8]]())
        var frames: [[UInt8]] { log.withLock { $0 } }

        func consume(_ frame: EncodedFrame, payload: Span<UInt8>) {
            let bytes = payload.array
            log.withLock { $0.append(bytes) }
        }
        func finish() {}
    }

    /// Keys of a test: one for each KID, from a number that stands for the secret; `nil` has none but our own.
    private struct Keys: SFrameKeys {
        var secret: UInt64?
        var own: UInt64 = 0

        func key(for id: SFrameKeyID) -> SFrameKey? {
            guard let secret = id.sender == own ? 0 : secret else { return nil }
            let bytes = (0..<4).flatMap { place in
                (0..<8).map { UInt8(truncatingIfNeeded: ((id.rawValue ^ secret) &+ UInt64(place)) >> UInt64(8 * $0)) }
            }
            return try? SFrameKey(bytes.span)  // 32 bytes are enough
        }
    }

    private static func encryption(
        _ secret: UInt64?, _ suite: SFrameSuite = .aes128GCM, sender: UInt64
    ) throws -> FrameEncryption {
        // Who seals has the secret's key for itself too.
        try FrameEncryption(Keys(secret: secret, own: secret == nil ? sender : .max), suite, sender: sender)
    }

    @Test(arguments: [VideoCodec.vp8, .vp9], [SFrameSuite.aes128GCM, .aes256GCM])
    func `With equal secrets every frame is shown, and none is readable on its way`(
        codec: VideoCodec, suite: SFrameSuite
    ) throws {
        let stream = try Stream(
            codec, sealing: Self.encryption(7, suite, sender: 1), opening: Self.encryption(7, suite, sender: 2))
        try stream.run(90)
        try stream.drain()
        #expect(stream.screen.checksums.count == 90 && stream.opened.opened == 90 && stream.opened.refused == 0)
        #expect(stream.keyFrameCount == 1 && stream.requestCount == 0)
        #expect(stream.receiver.statistics.decoder.framesDecoded == 90)
        #expect(!stream.hasPlainBytes)
        // The same search finds them in a stream in the clear, whose pictures are the same.
        let clear = try Stream(codec, sealing: nil, opening: nil)
        try clear.run(90)
        try clear.drain()
        #expect(clear.hasPlainBytes && clear.screen.checksums == stream.screen.checksums)
        #expect(clear.receiver.statistics.opened == nil)
    }

    @Test(arguments: [VideoCodec.vp8, .vp9], [nil, 8 as UInt64?])
    func `With another secret or none nothing is decoded or requested`(codec: VideoCodec, secret: UInt64?) throws {
        let stream = try Stream(
            codec, sealing: Self.encryption(7, sender: 1), opening: Self.encryption(secret, sender: 2))
        try stream.run(200)
        try stream.drain()
        #expect(stream.screen.checksums.isEmpty && stream.opened.opened == 0 && stream.opened.refused == 200)
        #expect(stream.opened.noKey == (secret == nil ? 200 : 0) && stream.opened.wrongKey == (secret == nil ? 0 : 200))
        #expect(stream.keyFrameCount == 1 && stream.requestCount == 0)
        let decoder = stream.receiver.statistics.decoder
        #expect(decoder == DecoderStatistics(), "\(decoder)")
    }

    @Test(arguments: [VideoCodec.vp8, .vp9], [nil, 8 as UInt64?])
    func `One key frame is requested when the key comes`(codec: VideoCodec, secret: UInt64?) throws {
        let opening = try Self.encryption(secret, sender: 2)
        let stream = try Stream(codec, sealing: Self.encryption(7, sender: 1), opening: opening)
        try stream.run(200, before: { if $0 == 100 { try opening.change(to: Keys(secret: 7, own: .max)) } })
        try stream.drain()
        #expect(stream.requestCount == 1 && stream.keyFrameCount == 2)
        #expect((95...100).contains(stream.screen.checksums.count), "\(stream.screen.checksums.count)")
        let statistics = stream.receiver.statistics
        #expect(statistics.decoder.framesDecoded == stream.screen.checksums.count, "\(statistics)")
        #expect(statistics.decoder.framesCorrupted == 0)
    }

    @Test(arguments: [VideoCodec.vp8, .vp9])
    func `After frames that could not be opened nothing is decoded before a key frame`(codec: VideoCodec) throws {
        let opening = try Self.encryption(7, sender: 2)
        let stream = try Stream(codec, sealing: Self.encryption(7, sender: 1), opening: opening)
        try stream.run(
            100,
            before: { frame in
                guard frame == 50 || frame == 60 else { return }
                try opening.change(to: Keys(secret: frame == 50 ? 8 : 7, own: .max))
                opening.removeFormerKeys()
            })
        try stream.drain()
        #expect(stream.opened.wrongKey >= 9 && stream.opened.opened > 80)
        #expect(stream.requestCount == 1 && stream.keyFrameCount == 2)
        let decoder = stream.receiver.statistics.decoder
        #expect(decoder.framesDecoded < stream.opened.opened && decoder.keyFramesDecoded == 2, "\(decoder)")
        #expect(decoder.framesCorrupted == 0 && decoder.framesDecoded == stream.screen.checksums.count)
    }

    @Test func `A request that nobody answers is repeated, at last every 4 seconds`() throws {
        let opening = try Self.encryption(8, sender: 2)
        let stream = try Stream(sealing: Self.encryption(7, sender: 1), opening: opening)
        var times: [MediaTime] = []
        try stream.run(
            900, answers: false,
            before: { frame in
                if frame == 30 { try opening.change(to: Keys(secret: 7, own: .max)) }
                if stream.requestCount > times.count { times.append(stream.now) }
            })
        #expect((8...13).contains(times.count) && stream.screen.checksums.isEmpty, "\(times)")
        let intervals = zip(times.dropFirst(), times).map { $0 - $1 }
        #expect(intervals.last.map { $0 >= .milliseconds(3_900) } ?? false, "\(intervals)")
    }

    @Test func `A loss in a stream that cannot be opened brings a request every 4 seconds at most`() throws {
        let stream = try Stream(sealing: Self.encryption(7, sender: 1), opening: Self.encryption(8, sender: 2))
        try stream.run(900, answers: false, arrives: { $0 % 50 != 20 })
        #expect((1...8).contains(stream.requestCount) && stream.screen.checksums.isEmpty)
        let clear = try Stream(sealing: nil, opening: nil)
        try clear.run(900, answers: false, arrives: { $0 % 50 != 20 })
        #expect(clear.requestCount > stream.requestCount)
    }

    @Test(arguments: [VideoCodec.vp8, .vp9])
    func `Fifty rotations in mid-stream lose no frame`(codec: VideoCodec) throws {
        let sealing = try Self.encryption(7, sender: 1)
        let stream = try Stream(codec, sealing: sealing, opening: Self.encryption(7, sender: 2))
        try stream.run(300, before: { if $0 % 6 == 3 { try sealing.rotate() } })
        try stream.drain()
        #expect(sealing.sealStatistics.keyChanges == 50 && sealing.sealStatistics.frames == 300)
        #expect(stream.screen.checksums.count == 300 && stream.opened.refused == 0 && stream.requestCount == 0)
    }

    @Test func `A stream in the clear is not shown where encryption is expected`() throws {
        let stream = try Stream(sealing: nil, opening: Self.encryption(7, sender: 2))
        try stream.run(60)
        try stream.drain()
        #expect(stream.screen.checksums.isEmpty && stream.opened.opened == 0)
        #expect(stream.opened.unknownLayout + stream.opened.malformed + stream.opened.wrongKey == 60)
        #expect(stream.requestCount == 0 && stream.receiver.statistics.decoder == DecoderStatistics())
    }

    @Test func `A secret that somebody shares opens, and its number is drawn for each`() throws {
        let one = try FrameEncryption(secret: "tulip", room: "monday")
        let two = try FrameEncryption(secret: "tulip", room: "monday")
        #expect(one.keyID.sender != two.keyID.sender)
        let stream = try Stream(sealing: one, opening: two)
        try stream.run(30)
        try stream.drain()
        #expect(stream.screen.checksums.count == 30 && two.openStatistics.opened == 30)
        #expect(throws: SecurityError.secretTooShort(byteCount: 0, minimum: 1)) {
            try FrameEncryption(secret: "", room: "monday")
        }
    }
}
