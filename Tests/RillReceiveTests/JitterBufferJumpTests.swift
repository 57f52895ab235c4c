import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import Testing

/// Streams that jump, pause, or are too much.
@Suite struct JitterBufferJumpTests {
    private var stream = SyntheticStream()
    private let receiver = VirtualReceiver()

    private mutating func insert(_ count: Int, from start: MediaTime, startingWithKey: Bool) {
        for index in 0..<count {
            let frame = stream.frame(isKey: startingWithKey && index == 0, packets: 2)
            receiver.insert(frame, at: start + (MediaTime.frame(index) - .zero))
        }
    }

    enum Jump: CaseIterable { case sequenceAhead, sequenceBack, timeAhead, timeBack, both }

    @Test(arguments: Jump.allCases)
    mutating func `A stream that jumps resets`(_ jump: Jump) {
        insert(10, from: .zero, startingWithKey: true)
        let sequence: Int =
            switch jump {
            case .sequenceAhead, .both: 20_000
            case .sequenceBack: -900
            case .timeAhead, .timeBack: 0
            }
        let ticks: Int64 =
            switch jump {
            case .timeAhead: 90_000 * 1000
            case .timeBack, .both: -90_000 * 1000
            case .sequenceAhead, .sequenceBack: 0
            }
        stream.sequence = stream.sequence.advanced(by: sequence)
        // The ten frames took a third of a second; the rest of the first second passes in silence.
        stream.timestamp = stream.timestamp.advanced(by: 60_000 + ticks)
        insert(10, from: .seconds(1), startingWithKey: true)
        receiver.pass(until: .seconds(5))
        // Nothing is missing: the packet that was set aside is the first of the key frame.
        #expect(receiver.shown == Array(100..<110) + Array(111..<121))
        #expect(receiver.frames[10].time == .milliseconds(1100))
        #expect(receiver.requests.isEmpty)
        #expect(receiver.statistics.resynchronizations == 1)
        #expect(receiver.statistics.packetsOnProbation == 1)
        #expect(receiver.statistics.packetsLost == 0)
    }

    /// FEC packets may be the first that come of a stream that has jumped: they alone move nothing.
    @Test(arguments: [20_000, -900])
    mutating func `A jump after FEC packets is detected`(sequence: Int) {
        insert(10, from: .zero, startingWithKey: true)
        stream.sequence = stream.sequence.advanced(by: sequence)
        stream.timestamp = stream.timestamp.advanced(by: 60_000)
        receiver.pass(until: .milliseconds(900))
        for index in 0..<4 {
            var header = RTPHeader(
                marker: false, payloadType: PayloadType(101), sequenceNumber: stream.sequence,
                timestamp: stream.timestamp,
                ssrc: stream.ssrc)
            header.sequenceNumber = stream.sequence.advanced(by: index - 4)
            #expect(receiver.buffer.notePacketWithoutMedia(header, at: .seconds(1)) == .late)
        }
        insert(10, from: .seconds(1), startingWithKey: true)
        receiver.pass(until: .seconds(5))
        #expect(receiver.shown == Array(100..<110) + Array(111..<121))
        #expect(receiver.statistics.resynchronizations == 1)
    }

    @Test mutating func `One stray packet moves nothing`() {
        insert(10, from: .zero, startingWithKey: true)
        var stray = stream
        stray.sequence = stream.sequence.advanced(by: 5000)
        #expect(receiver.insert(stray.frame().packets[0], at: .frame(10)) == .onProbation)
        stray.sequence = stream.sequence
        stray.timestamp = stream.timestamp.advanced(by: 1 << 30)
        #expect(receiver.insert(stray.frame().packets[0], at: .frame(10)) == .onProbation)
        insert(10, from: .frame(10), startingWithKey: false)
        receiver.pass(until: .seconds(2))
        #expect(receiver.shown == Array(100..<120))
        #expect(receiver.statistics.resynchronizations == 0)
    }

    @Test mutating func `A long gap in the same stream is counted as loss`() {
        insert(10, from: .zero, startingWithKey: true)
        for _ in 0..<500 { _ = stream.frame(packets: 2) }
        insert(10, from: .frame(510), startingWithKey: false)
        receiver.pass(until: .frame(520) + .milliseconds(100))
        #expect(receiver.statistics.packetsLost == 1000)
        #expect(receiver.requests.first == .frame(510) + .milliseconds(100))
    }

    @Test(arguments: [60, 3600, 20 * 3600])
    mutating func `A sender that pauses is shown again within a frame`(seconds: Int) {
        insert(10, from: .zero, startingWithKey: true)
        let pause = MediaTime(ticks: Int64(seconds) * 90_000, rate: 90_000)
        stream.timestamp = stream.timestamp.advanced(by: Int64(seconds) * 90_000 - 30_000)
        // A pause of more than half the timestamps' range (6.6 hours) looks as if the media clock had jumped.
        insert(10, from: pause, startingWithKey: false)
        receiver.pass(until: pause + .seconds(2))
        #expect(receiver.shown == Array(100..<120))
        #expect(receiver.statistics.resynchronizations == (seconds > 6 * 3600 ? 1 : 0))
        #expect(receiver.frames[10].time - pause == .milliseconds(100))
        #expect(receiver.requests.isEmpty)
    }

    /// A muted camera may stop its media clock: of the pause nothing is to be seen in the timestamps.
    @Test(arguments: [5, 30], [PlayoutDelayBounds.fixed(.milliseconds(100)), .adaptive])
    mutating func `A sender that stops its media clock is shown again within a frame`(
        frameRate: Int, bounds: PlayoutDelayBounds
    ) {
        let receiver = VirtualReceiver(JitterBufferSettings(payloadType: stream.payloadType, playoutDelay: bounds))
        let interval = MediaDuration.seconds(1.0 / Double(frameRate))
        // Every counter wraps in the pause.
        stream.sequence = SequenceNumber(UInt16(65536 - 20 * frameRate))
        stream.timestamp = RTPTimestamp(UInt32.max - UInt32(10 * 90_000))
        var now = MediaTime.zero
        for _ in 0..<10 * frameRate {
            receiver.insert(
                stream.frame(isKey: now == .zero, packets: 2, ticks: Int64(90_000 / frameRate)),
                at: now + .milliseconds(20))
            now += interval
        }
        now += .seconds(60)
        let before = 10 * frameRate
        for _ in 0..<10 * frameRate {
            receiver.insert(stream.frame(packets: 2, ticks: Int64(90_000 / frameRate)), at: now + .milliseconds(20))
            now += interval
        }
        receiver.pass(until: now + .seconds(1))
        // It begins with a delta frame, which builds on the last one before the pause.
        #expect(receiver.shown.count == 20 * frameRate, "\(receiver.shown.count)")
        #expect(receiver.requests.isEmpty)
        // The pause is not known: the missing packet is NACKed twice, at either end.
        #expect(receiver.nacks.allSatisfy { $0.packets.count == 1 } && receiver.nacks.count <= 4, "\(receiver.nacks)")
        #expect(receiver.statistics.resynchronizations == 1)
        let pause = (receiver.frames.count > before ? receiver.frames[before].time : .distantFuture)
        let resumed = MediaTime.seconds(70.02)
        #expect(pause - resumed <= max(interval, bounds.minimum), "\(pause - resumed)")
    }

    @Test mutating func `A full ring drops the oldest and asks`() {
        var settings = JitterBufferSettings(payloadType: stream.payloadType)
        settings.packetCapacity = 64
        settings.playoutDelay = .fixed(.seconds(60))
        settings.nack = nil
        let receiver = VirtualReceiver(settings)
        // 31 frames of two packets, and the key frame's first packet.
        receiver.insert(stream.frame(isKey: true, packets: 2).packets[0], at: .zero)
        for _ in 0..<31 { receiver.insert(stream.frame(packets: 2), at: .zero) }
        #expect(receiver.requests.isEmpty)
        #expect(receiver.buffer.occupancy.packets == 63)
        let next = stream.frame(packets: 3)
        #expect(receiver.insert(next.packets[0], at: .milliseconds(1)) == .queuedAfterOverflow(droppedFrames: 1))
        #expect(receiver.requests == [.milliseconds(1)])
        #expect(receiver.statistics.drops.overflow == 1)
        #expect(receiver.insert(next.packets[1], at: .milliseconds(1)) == .queued)
        #expect(receiver.insert(next.packets[2], at: .milliseconds(1)) == .queuedAfterOverflow(droppedFrames: 1))
        #expect(receiver.buffer.occupancy.packets <= 64)
        // A key frame sets it right.
        receiver.insert(stream.frame(isKey: true), at: .milliseconds(2))
        receiver.pass(until: .seconds(100))
        #expect(receiver.shown == [133])
        #expect(receiver.buffer.occupancy.packets == 0 && receiver.buffer.occupancy.frames == 0)
    }
}
