import Foundation
import RillCore
import RillMediaSupport
import RillRTP
import RillReceive
import RillSend
import RillTestSupport
import Testing

@testable import Rill

/// Whatever order and subset of a stream's packets comes, what leaves the jitter buffer can be decoded, and to the very
/// pictures that were sent: found by decoding it.
struct DecodableFramesTests {
    /// A stream as it is sent, and what it decodes to when nothing is lost.
    struct Stream: Sendable, CustomTestStringConvertible {
        var codec: VideoCodec
        var pattern: TemporalPattern
        var referenceSignaling = ReferenceSignaling.flexible

        var testDescription: String { "\(codec) \(pattern.rawValue) \(codec == .vp9 ? "\(referenceSignaling)" : "")" }

        static let all = [
            Stream(codec: .vp8, pattern: .l1t1), Stream(codec: .vp8, pattern: .l1t3),
            Stream(codec: .vp9, pattern: .l1t1), Stream(codec: .vp9, pattern: .l1t1, referenceSignaling: .nonFlexible),
            Stream(codec: .vp9, pattern: .l1t3), Stream(codec: .vp9, pattern: .l1t3, referenceSignaling: .nonFlexible),
        ]
    }

    /// `RILL_SEEDS=1000` for more.
    private let seedCount = UInt64(ProcessInfo.processInfo.environment["RILL_SEEDS"] ?? "60") ?? 60

    @Test(arguments: Stream.all)
    func `Released frames decode to the sent pictures`(stream: Stream) throws {
        let sent = try SentStream(stream)
        var totals = Totals()
        for seed in 1...seedCount {
            let trial = try Trial(of: sent, seed: seed)
            try trial.run()
            totals.add(trial)
        }
        note("\(stream.testDescription): \(totals)")
        // Without all of these happening often the test would be worth little.
        #expect(totals.framesDecoded > 500, "\(totals)")
        #expect(totals.framesSkipped > 100, "\(totals)")
        #expect(totals.refusals > 10 && totals.duplicates > 200 && totals.late > 20, "\(totals)")
        #expect(totals.repaired > 20, "\(totals)")
    }

    private struct Totals: CustomStringConvertible {
        var framesDecoded = 0
        var framesSkipped = 0
        var refusals = 0
        var duplicates = 0
        var late = 0
        var repaired = 0

        mutating func add(_ trial: Trial) {
            framesDecoded += trial.decodedCount
            framesSkipped += trial.skippedCount
            refusals += trial.refusalCount
            let statistics = trial.statistics
            duplicates += statistics.packetsDuplicated
            late += statistics.packetsDiscarded
            repaired += statistics.framesRepaired
        }

        var description: String {
            "\(framesDecoded) decoded, \(framesSkipped) passed over, \(refusals) refused, \(duplicates) duplicates, "
                + "\(late) late packets, \(repaired) repaired"
        }
    }
}

/// The packets of forty small pictures, key frames among them, and what each decodes to.
private struct SentStream {
    let codec: VideoCodec
    private(set) var packets: [(bytes: [UInt8], time: MediaTime)] = []
    /// The coded frames, by timestamp on the wire.
    private(set) var frames: [RTPTimestamp: (bytes: [UInt8], checksum: UInt64, index: Int)] = [:]

    static let frameCount = 40

    init(_ stream: DecodableFramesTests.Stream) throws {
        codec = stream.codec
        let resolution = Resolution(width: 64, height: 48)
        let pictures = try TestPictures(resolution)
        var settings = EncoderSettings(codec)
        settings.temporalPattern = stream.pattern
        let encoder = try VPXEncoder(
            settings, layer: StreamLayer(rid: .high), resolution: resolution, frameRate: 30, bitrate: .kilobits(200))
        let decoder = try VPXDecoder(codec)
        var sending = RTPStreamSettings(ssrc: SSRC(7), payloadType: PayloadType(96), canonicalName: "test")
        sending.temporalLayerCount = stream.pattern.layerCount
        sending.referenceSignaling = stream.referenceSignaling
        // A few packets a frame; and every counter wraps.
        sending.maximumPacketByteCount = 200
        sending.firstSequenceNumber = SequenceNumber(65_500)
        sending.firstPictureID = 32_750
        sending.firstTL0PictureIndex = 250
        sending.timestampOffset = RTPTimestamp(UInt32.max - 60_000)
        var sender = try RTPStreamSender(sending)
        var sent: [(bytes: [UInt8], time: MediaTime)] = []
        let tap = PacketTap { packet, time in sent.append((packet.array, time)) }
        for index in 0..<Self.frameCount {
            let picture = pictures.picture(index)
            var coded: (frame: EncodedFrame, bytes: [UInt8])?
            try encoder.encode(picture, isKeyFrame: index % 17 == 0) { frame, payload in
                coded = (frame, payload.array)
            }
            let (frame, bytes) = try #require(coded)
            let info = sender.send(frame, payload: bytes.span, at: frame.captureTime, to: tap)
            guard case .picture(let decoded) = try decoder.decode(bytes.span, captureTime: .zero) else {
                Issue.record("frame \(index) gives no picture")
                continue
            }
            frames[info.timestamp] = (bytes, checksum(decoded), index)
        }
        packets = sent
    }
}

/// One random journey of a stream's packets.
private final class Trial {
    private let sent: SentStream
    private let seed: UInt64
    private let decoder: VPXDecoder
    private var buffer: JitterBuffer
    private var random: SeededGenerator
    private var payload: [UInt8] = []
    private var wake = MediaTime.distantFuture
    private var lastNumber = Int64.min
    private var lastIndex = -1
    private let capacity: Int
    private(set) var decodedCount = 0
    private(set) var skippedCount = 0
    private(set) var refusalCount = 0

    init(of sent: SentStream, seed: UInt64) throws {
        self.sent = sent
        self.seed = seed
        random = SeededGenerator(seed: seed)
        decoder = try VPXDecoder(sent.codec)
        // Half a ring reaches over the furthest that packets are moved here: what lies further off is a jump of the
        // stream.
        capacity = [128, 256, 1024][Int(seed / 7 % 3)]
        var settings = JitterBufferSettings(payloadType: PayloadType(96), codec: sent.codec)
        settings.packetCapacity = capacity
        settings.playoutDelay = [.adaptive, .lowLatency, .fixed(.milliseconds(80))][Int(seed % 3)]
        if seed % 5 == 0 { settings.nack = nil }
        settings.roundTripTime = .milliseconds([5, 40, 150][Int(seed / 3 % 3)])
        buffer = JitterBuffer(settings)
    }

    var statistics: InboundStatistics { buffer.statistics }

    private func chance(_ probability: Double) -> Bool { random.unitInterval() < probability }

    private func time(below milliseconds: Double) -> MediaDuration {
        .seconds(random.unitInterval() * milliseconds / 1000)
    }

    func run() throws {
        let loss = [0, 0.01, 0.05, 0.2][Int(seed / 2 % 4)]
        let jitter = [1, 20, 80, 400.0][Int(seed / 5 % 4)]
        var arrivals: [(time: MediaTime, packet: Int, origin: PacketOrigin)] = []
        for (index, packet) in sent.packets.enumerated() {
            let time = packet.time + .milliseconds(20) + time(below: jitter)
            if !chance(loss) { arrivals.append((time, index, .network)) }
            // Duplicates, at any time; and retransmissions, needed or not.
            if chance(0.1) { arrivals.append((time + self.time(below: 300), index, .network)) }
            if chance(0.2) { arrivals.append((time + self.time(below: 300), index, .retransmission)) }
            if chance(0.05) { arrivals.append((time + self.time(below: 100), index, .fec)) }
        }
        arrivals.sort { ($0.time, $0.packet) < ($1.time, $1.packet) }
        for arrival in arrivals {
            try passTime(until: arrival.time)
            let bytes = sent.packets[arrival.packet].bytes
            _ = buffer.insert(bytes.span, origin: arrival.origin, at: arrival.time)
            let occupancy = buffer.occupancy
            #expect(occupancy.packets <= capacity && occupancy.frames <= capacity, "seed \(seed)")
            // Who polls may be late, or forget it.
            if chance(0.7) { try poll(at: arrival.time + (chance(0.1) ? time(below: 30) : .zero)) }
        }
        try passTime(until: .zero + .seconds(10))
        #expect(buffer.occupancy.packets <= capacity, "seed \(seed)")
    }

    private func passTime(until end: MediaTime) throws {
        while wake < end {
            try poll(at: wake)
            // It is not always woken in time.
            if chance(0.05) { return }
        }
    }

    private func poll(at now: MediaTime) throws {
        for _ in 0..<10_000 {
            switch buffer.poll(at: now, into: &payload) {
            case .frame: try take(buffer.releasedFrame)
            case .requestKeyFrame, .requestPackets: continue
            case .wait(let time):
                #expect(time > now, "seed \(seed): at \(now) told to wait until \(time)")
                wake = max(time, now + MediaDuration(nanoseconds: 1))
                return
            }
        }
        Issue.record("seed \(seed): polling does not come to an end")
        wake = .distantFuture
    }

    private func take(_ received: ReceivedFrame) throws {
        let number = received.frame.number
        #expect(number > lastNumber, "seed \(seed): frame \(number) after \(lastNumber)")
        lastNumber = number
        let expected = try #require(sent.frames[received.rtpTimestamp], "seed \(seed): \(received.rtpTimestamp)")
        #expect(expected.index > lastIndex, "seed \(seed): frame \(expected.index) after \(lastIndex)")
        skippedCount += expected.index - lastIndex - 1
        lastIndex = expected.index
        #expect(payload == expected.bytes, "seed \(seed), frame \(expected.index)")
        // The decoder may refuse any frame, a fault of its own; it then has decoded it all the same, or not at all.
        if chance(0.02) {
            buffer.decodingFailed(received.frame)
            refusalCount += 1
            guard chance(0.5) else { return }
        }
        let bytes = payload
        let outcome = try decoder.decode(bytes.span, captureTime: .zero)
        guard case .picture(let picture) = outcome else {
            Issue.record("seed \(seed): frame \(expected.index) gives \(outcome)")
            return
        }
        decodedCount += 1
        // Frames that were passed over were none that it refers to, so nothing of them can be missing in it.
        #expect(checksum(picture) == expected.checksum, "seed \(seed), frame \(expected.index)")
    }
}
