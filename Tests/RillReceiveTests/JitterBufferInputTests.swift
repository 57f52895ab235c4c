import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import Testing

/// What becomes of packets of all kinds.
@Suite struct JitterBufferInputTests {
    private var stream = SyntheticStream()
    private let receiver = VirtualReceiver()

    static let starts: [UInt16] = [0, 1, 127, 128, 32767, 32768, 65534, 65535]

    // MARK: Counters that wrap

    @Test(arguments: starts)
    mutating func `Sequence numbers wrap`(_ start: UInt16) {
        stream.sequence = SequenceNumber(start)
        stream.descriptor.pictureID = nil
        expectAllShown(stream.frames(300, packets: 3), "from \(start)")
    }

    @Test(arguments: starts)
    mutating func `Timestamps wrap`(_ start: UInt16) {
        stream.timestamp = RTPTimestamp(UInt32(start) &- 60_000)
        expectAllShown(stream.frames(300), "from \(start)")
    }

    @Test(arguments: starts)
    mutating func `Short picture IDs wrap`(_ start: UInt16) {
        stream.descriptor.pictureID = .short(UInt8(start & 0x7F))
        expectAllShown(stream.frames(300), "from \(start)")
        #expect(receiver.released == (0..<300).map { Int64(start & 0x7F) + $0 })
    }

    @Test(arguments: starts)
    mutating func `Long picture IDs wrap`(_ start: UInt16) {
        stream.descriptor.pictureID = .long(start & 0x7FFF)
        expectAllShown(stream.frames(300), "from \(start)")
        #expect(receiver.released == (0..<300).map { Int64(start & 0x7FFF) + $0 })
    }

    private func expectAllShown(_ frames: [SyntheticStream.Frame], _ note: Comment) {
        for (index, frame) in frames.enumerated() { receiver.insert(frame, at: .frame(index)) }
        receiver.pass(until: .frame(frames.count) + .seconds(1))
        #expect(receiver.frames.map { $0.bytes } == frames.map { $0.bytes }, note)
        #expect(receiver.shown.count == frames.count && receiver.requests.isEmpty, note)
        let timestamps = receiver.frames.map { $0.received.extendedTimestamp }
        #expect(zip(timestamps, timestamps.dropFirst()).allSatisfy { $1 - $0 == 3000 }, note)
        #expect(receiver.statistics.packetsLost == 0, note)
    }

    @Test mutating func `A jump of picture IDs breaks nothing`() {
        var frames = stream.frames(3)
        stream.descriptor.pictureID = .long(20_000)
        frames.append(stream.frame())
        stream.descriptor.pictureID = .short(5)
        frames.append(stream.frame())
        stream.descriptor.pictureID = nil
        frames.append(stream.frame())
        stream.descriptor.pictureID = .long(3)
        frames.append(stream.frame())
        stream.descriptor.pictureID = .long(1)
        frames.append(stream.frame())
        expectAllShown(frames, "")
        #expect(zip(receiver.released, receiver.released.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test mutating func `Picture IDs prove that only padding was lost`() {
        receiver.insert(stream.frame(isKey: true), at: .frame(0))
        _ = stream.padding()
        receiver.insert(stream.frame(), at: .frame(1))
        receiver.pass(until: .seconds(1))
        #expect(receiver.released == [100, 101] && receiver.requests.isEmpty)
    }

    @Test mutating func `Numbers keep the gaps of lost packets`() {
        stream.descriptor.pictureID = .short(120)
        receiver.insert(stream.frame(isKey: true), at: .frame(0))
        for _ in 0..<20 { _ = stream.frame() }
        receiver.insert(stream.frame(isKey: true), at: .frame(21))
        stream.descriptor.pictureID = nil
        receiver.insert(stream.frame(), at: .frame(22))
        _ = stream.frame()
        receiver.insert(stream.frame(isKey: true), at: .frame(24))
        receiver.pass(until: .seconds(2))
        #expect(receiver.released == [120, 141, 142, 144])
    }

    // MARK: Packets that are not used

    @Test mutating func `Every packet has an outcome`() {
        let frames = stream.frames(3, packets: 2)
        #expect(receiver.insert(frames[0].packets[0], at: .frame(0)) == .queued)
        #expect(receiver.insert(frames[0].packets[0], at: .frame(0)) == .duplicate)
        #expect(receiver.insert(frames[0].packets[1], at: .frame(0)) == .queued)
        #expect(receiver.insert(stream.padding(), at: .frame(0)) == .padding)
        receiver.pass(until: .milliseconds(200))
        #expect(receiver.released == [100])
        #expect(receiver.insert(frames[0].packets[0], at: .milliseconds(200)) == .duplicate)

        var foreign = stream
        foreign.ssrc = SSRC(0xBEEF)
        #expect(receiver.insert(foreign.frame().packets[0], at: .milliseconds(201)) == .wrongSSRC(SSRC(0xBEEF)))
        foreign = stream
        foreign.payloadType = PayloadType(97)
        #expect(
            receiver.insert(foreign.frame().packets[0], at: .milliseconds(202)) == .wrongPayloadType(PayloadType(97)))
        #expect(
            receiver.insert([0x80, 96], at: .milliseconds(203)) == .malformed(.truncated(needed: 12, available: 2)))
        foreign = stream
        foreign.pieceByteCount = 2000
        let long = foreign.frame().packets[0]
        #expect(receiver.insert(long, at: .milliseconds(204)) == .oversized(byteCount: long.count))
        foreign = stream
        foreign.sequence = SequenceNumber(20_000)
        #expect(receiver.insert(foreign.frame().packets[0], at: .milliseconds(205)) == .onProbation)
        // A packet between two others of one frame that says it belongs to another.
        foreign.sequence = SequenceNumber(1007)
        let whole = foreign.frame(packets: 3)
        receiver.insert(whole.packets[0], at: .milliseconds(206))
        receiver.insert(whole.packets[2], at: .milliseconds(206))
        foreign.sequence = SequenceNumber(1008)
        foreign.timestamp = whole.timestamp.advanced(by: -1500)
        #expect(receiver.insert(foreign.frame().packets[0], at: .milliseconds(207)) == .inconsistent)
        // One that is later than the newest could be of a sender that restarted.
        foreign.sequence = SequenceNumber(1008)
        foreign.timestamp = whole.timestamp.advanced(by: 3000)
        #expect(receiver.insert(foreign.frame().packets[0], at: .milliseconds(207)) == .onProbation)

        let statistics = receiver.statistics
        #expect(statistics.packetsDuplicated == 2 && statistics.foreignPackets == 2)
        #expect(statistics.packetsRejected == 3 && statistics.packetsOnProbation == 2)
    }

    /// The first packets of a stream may be lost, and come again before any other.
    @Test(arguments: [PacketOrigin.retransmission, .fec])
    mutating func `A stream may start with repaired packets`(origin: PacketOrigin) {
        let frames = stream.frames(4, packets: 3)
        for (index, frame) in frames.enumerated() {
            for packet in frame.packets { receiver.insert(packet, index < 2 ? origin : .network, at: .frame(index)) }
        }
        receiver.pass(until: .seconds(1))
        #expect(receiver.frames.map { $0.bytes } == frames.map { $0.bytes })
        #expect(receiver.statistics.packetsReceived == 6 && receiver.statistics.framesRepaired == 2)
    }

    @Test mutating func `Another source is not mixed in`() {
        var other = SyntheticStream()
        other.ssrc = SSRC(0xBEEF)
        for index in 0..<10 {
            receiver.insert(stream.frame(isKey: index == 0), at: .frame(index))
            receiver.insert(other.frame(isKey: index == 5), at: .frame(index) + .milliseconds(1))
        }
        receiver.pass(until: .seconds(1))
        #expect(receiver.released == Array(100..<110))
        #expect(receiver.statistics.foreignPackets == 10)
        #expect(receiver.statistics.packetsReceived == 10)
    }

    @Test mutating func `A key frame that is not VP8 is dropped and requested again`() {
        var damaged = stream.frame(isKey: true)
        let offset = damaged.packets[0].count - damaged.bytes.count
        damaged.packets[0][offset + 3] = 0  // the start code
        receiver.insert(damaged, at: .frame(0))
        receiver.insert(stream.frame(), at: .frame(1))
        receiver.insert(stream.frame(isKey: true), at: .frame(10))
        receiver.pass(until: .seconds(1))
        #expect(receiver.released == [102])
        #expect(receiver.requests == [.milliseconds(100)])
        #expect(receiver.statistics.drops.malformed == 1 && receiver.statistics.drops.undecodable == 1)
    }

    // MARK: Frames that are hard to tell apart

    @Test mutating func `Frames without marker bits end where the next starts`() {
        stream.setsMarker = false
        stream.descriptor.pictureID = nil
        let frames = stream.frames(5, packets: 3)
        for (index, frame) in frames.enumerated() {
            for packet in frame.packets.reversed() { receiver.insert(packet, at: .frame(index)) }
        }
        receiver.pass(until: .seconds(1))
        // The end of the last one is not known yet.
        #expect(receiver.frames.map { $0.bytes } == frames.dropLast().map { $0.bytes })
        #expect(receiver.frames.dropFirst().allSatisfy { $0.references == [$0.number - 1] })
    }

    @Test mutating func `Padding between and inside frames is passed over`() {
        stream.descriptor.pictureID = nil
        var packets: [[UInt8]] = []
        for index in 0..<20 {
            var frame = stream.frame(isKey: index == 0, packets: 2).packets
            // Make room for padding inside the frame: the second packet's number goes up by one.
            frame[1][3] &+= 1
            stream.sequence = SequenceNumber(stream.sequence.rawValue - 1)
            packets += [frame[0], stream.padding(), frame[1]]
            stream.sequence = SequenceNumber(stream.sequence.rawValue + 1)
            packets += [stream.padding(), stream.padding()]
        }
        for seed in 0...20 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            // Long enough that no frame is due before all are there.
            let receiver = VirtualReceiver(
                JitterBufferSettings(payloadType: stream.payloadType, playoutDelay: .fixed(.seconds(1)), nack: nil))
            for packet in seed == 0 ? packets : packets.shuffled(using: &generator) {
                _ = receiver.insert(packet, at: .zero)
            }
            receiver.pass(until: .seconds(2))
            #expect(receiver.released == Array(0..<20), "seed \(seed)")
            #expect(receiver.requests.isEmpty, "seed \(seed)")
        }
    }

    @Test mutating func `Late padding repairs the chain`() {
        stream.descriptor.pictureID = nil
        receiver.insert(stream.frame(isKey: true), at: .frame(0))
        let padding = stream.padding()
        receiver.insert(stream.frame(), at: .frame(1))
        receiver.insert(padding, at: .milliseconds(200))
        receiver.pass(until: .seconds(1))
        #expect(receiver.requests == [.frame(1) + .milliseconds(100)])
        #expect(receiver.shown == [0, 1] && receiver.frames[1].time == .milliseconds(200))
    }

    @Test mutating func `Timestamps may step back`() {
        var frames = stream.frames(3)
        stream.timestamp = stream.timestamp.advanced(by: -30_000)
        frames += (0..<3).map { _ in stream.frame() }
        for (index, frame) in frames.enumerated() { receiver.insert(frame, at: .frame(index)) }
        receiver.pass(until: .seconds(1))
        #expect(receiver.released == Array(100..<106))
    }
}
