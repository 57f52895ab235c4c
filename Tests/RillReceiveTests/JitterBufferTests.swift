import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import Testing

/// The rules of release, one by one.
@Suite struct JitterBufferTests {
    private var stream = SyntheticStream()
    /// What a packet takes on the way unless a test says otherwise.
    private let transit = MediaDuration.milliseconds(20)

    /// When frame `index`, 30 a second, comes, and when it is to be played out.
    private func arrival(_ index: Int) -> MediaTime { .frame(index) + transit }
    private func playout(_ index: Int) -> MediaTime { arrival(index) + .milliseconds(100) }

    // MARK: Order and time

    @Test mutating func `Frames are released at their playout times`() {
        let receiver = VirtualReceiver()
        let frames = stream.frames(10, packets: 3)
        for (index, frame) in frames.enumerated() { receiver.insert(frame, at: arrival(index)) }
        receiver.pass(until: .seconds(1))
        #expect(receiver.frames.map { $0.time } == (0..<10).map(playout))
        #expect(receiver.frames.map { $0.bytes } == frames.map { $0.bytes })
        #expect(receiver.shown == Array(100..<110))
        #expect(receiver.requests.isEmpty)
        #expect(receiver.wake == .distantFuture)
    }

    @Test mutating func `A frame describes itself`() throws {
        let receiver = VirtualReceiver()
        let key = stream.frame(isKey: true, packets: 2, resolution: Resolution(width: 319, height: 241))
        let delta = stream.frame(packets: 3)
        receiver.insert(key.packets[0], at: .milliseconds(10))
        receiver.insert(key.packets[1], at: .milliseconds(15))
        receiver.insert(delta, at: .milliseconds(50))
        receiver.pass(until: .seconds(1))
        try #require(receiver.frames.count == 2)
        let first = receiver.frames[0].received
        #expect(first.frame.isKey && first.isShown && first.frame.codec == .vp8)
        #expect(first.frame.resolution == Resolution(width: 319, height: 241))
        #expect(first.frame.number == 100 && first.frame.references.count == 0)
        #expect(first.frame.byteCount == key.bytes.count)
        #expect(first.rtpTimestamp == key.timestamp && first.extendedTimestamp == 90_000)
        #expect(first.frame.captureTime == .seconds(1))
        #expect(first.frame.timestamps[.arrived] == .milliseconds(10))
        #expect(first.frame.timestamps[.assembled] == .milliseconds(15))
        #expect(first.frame.timestamps[.released] == .milliseconds(115))
        #expect(first.playoutTime == .milliseconds(115))
        let second = receiver.frames[1]
        #expect(!second.received.frame.isKey && second.received.frame.resolution == first.frame.resolution)
        #expect(second.number == 101 && second.references == [100])
    }

    @Test mutating func `A faster frame draws later playout times forward`() {
        let receiver = VirtualReceiver()
        let frames = stream.frames(3)
        receiver.insert(frames[0], at: .frame(0) + .milliseconds(50))
        receiver.insert(frames[1], at: .frame(1) + .milliseconds(20))
        receiver.insert(frames[2], at: .frame(2) + .milliseconds(90))
        receiver.pass(until: .seconds(1))
        let expected: [MediaTime] = [
            .frame(0) + .milliseconds(150), .frame(1) + .milliseconds(120), .frame(2) + .milliseconds(120),
        ]
        // Frame 1 may not overtake frame 0, whose time was fixed before the faster way was known.
        #expect(receiver.frames.map { $0.received.playoutTime } == expected)
        #expect(receiver.frames.map { $0.time } == [expected[0], max(expected[0], expected[1]), expected[2]])
    }

    @Test mutating func `Packets in any order make the same frames`() {
        let frames = stream.frames(6, packets: 4)
        let packets = frames.flatMap { $0.packets }
        for seed in 1...50 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            // Long enough that no frame is due before all are there.
            let receiver = VirtualReceiver(
                JitterBufferSettings(
                    payloadType: stream.payloadType, playoutDelay: .fixed(.milliseconds(500)), nack: nil))
            for packet in packets.shuffled(using: &generator) {
                _ = receiver.insert(packet, at: .milliseconds(10))
            }
            receiver.pass(until: .seconds(1))
            #expect(receiver.released == Array(100..<106), "seed \(seed)")
            #expect(receiver.frames.map { $0.bytes } == frames.map { $0.bytes }, "seed \(seed)")
            #expect(receiver.requests.isEmpty, "seed \(seed)")
        }
    }

    @Test mutating func `A frame that completes late is released at once`() {
        let receiver = VirtualReceiver()
        let frames = stream.frames(3, packets: 2)
        receiver.insert(frames[0], at: arrival(0))
        receiver.insert(frames[1].packets[0], at: arrival(1))
        receiver.insert(frames[1].packets[1], at: playout(1) + .milliseconds(7))
        receiver.insert(frames[2], at: playout(1) + .milliseconds(8))
        receiver.pass(until: .seconds(1))
        #expect(receiver.shown == [100, 101, 102])
        #expect(receiver.frames[1].time == playout(1) + .milliseconds(7))
        #expect(receiver.frames[2].time == playout(2))
    }

    @Test mutating func `Catching up shows the newest alone`() {
        let receiver = VirtualReceiver()
        let frames = stream.frames(8, packets: 2)
        for (index, frame) in frames.enumerated() where index != 2 { receiver.insert(frame, at: arrival(index)) }
        // Frame 2 comes when frames 3, 4 and 5 are due and frames 6 and 7 are not.
        let late = playout(5) + .milliseconds(5)
        receiver.insert(frames[2], at: late)
        receiver.pass(until: .seconds(1))
        #expect(receiver.released == Array(100..<108))
        #expect(receiver.shown == [100, 101, 105, 106, 107])
        #expect(receiver.frames[2...5].map { $0.time } == [late, late, late, late])
        #expect(receiver.statistics.framesDecodedOnly == 3)
        #expect(receiver.statistics.framesDropped == 3)
    }

    @Test mutating func `A hidden frame is decoded and not shown`() {
        let receiver = VirtualReceiver()
        var hidden = stream.frame(isKey: true)
        let offset = hidden.packets[0].count - hidden.bytes.count
        hidden.packets[0][offset] &= ~0x10  // RFC 6386 §9.1, show_frame
        receiver.insert(hidden, at: arrival(0))
        receiver.insert(stream.frame(), at: arrival(1))
        receiver.pass(until: .seconds(1))
        #expect(receiver.released == [100, 101])
        #expect(receiver.shown == [101])
    }

    @Test mutating func `Polling twice gives the same answer`() {
        let receiver = VirtualReceiver()
        receiver.insert(stream.frame(isKey: true), at: .zero)
        let wake = receiver.wake
        #expect(wake == .milliseconds(100))
        receiver.poll(at: .milliseconds(50))
        #expect(receiver.wake == wake)
        receiver.poll(at: .milliseconds(100))
        receiver.poll(at: .milliseconds(100))
        #expect(receiver.released == [100] && receiver.wake == .distantFuture)
    }

    @Test mutating func `Time that runs backwards is taken for the latest`() {
        let receiver = VirtualReceiver()
        let frames = stream.frames(2)
        receiver.insert(frames[0], at: .milliseconds(500))
        let packet = frames[1].packets[0]
        _ = receiver.buffer.insert(packet.span, at: .milliseconds(100))
        receiver.poll(at: .milliseconds(600))
        #expect(receiver.released == [100, 101])
    }

    // MARK: Broken chains

    @Test mutating func `A missing packet leads to a request when its frame is due`() {
        let receiver = VirtualReceiver()
        let frames = stream.frames(4, packets: 2)
        receiver.insert(frames[0], at: arrival(0))
        receiver.insert(frames[1].packets[0], at: arrival(1))
        receiver.insert(frames[2], at: arrival(2))
        receiver.pass(until: playout(2))
        #expect(receiver.released == [100])
        #expect(receiver.requests == [playout(1)])
    }

    @Test mutating func `A completely lost frame leads to a request when the next is due`() {
        let receiver = VirtualReceiver()
        let frames = stream.frames(4)
        for index in [0, 2, 3] { receiver.insert(frames[index], at: arrival(index)) }
        receiver.pass(until: playout(3))
        #expect(receiver.released == [100])
        #expect(receiver.requests == [playout(2)])
    }

    @Test mutating func `Requests are repeated until a key frame arrives`() {
        let receiver = VirtualReceiver()
        let frames = stream.frames(60)
        for (index, frame) in frames.enumerated() where index != 1 { receiver.insert(frame, at: arrival(index)) }
        receiver.pass(until: .seconds(2))
        let spacing = MediaDuration.milliseconds(300)
        let first = playout(2)
        #expect(receiver.requests.prefix(4) == [first, first + spacing, first + spacing * 2, first + spacing * 4])
        let asked = receiver.requests.count
        receiver.insert(stream.frame(isKey: true), at: arrival(60))
        receiver.pass(until: .seconds(4))
        #expect(receiver.requests.count == asked)
        #expect(receiver.shown == [100, 160])
        #expect(receiver.statistics.drops.undecodable == 58)
        #expect(receiver.statistics.pliCount == asked)
    }

    @Test mutating func `Requests are no closer than the round-trip time`() {
        let receiver = VirtualReceiver()
        receiver.buffer.roundTripTime = .milliseconds(700)
        let frames = stream.frames(60)
        for (index, frame) in frames.enumerated() where index != 1 { receiver.insert(frame, at: arrival(index)) }
        receiver.pass(until: playout(2) + .milliseconds(1500))
        #expect(receiver.requests == [0, 700, 1400].map { playout(2) + .milliseconds($0) })
    }

    @Test mutating func `A slow stream is given three frame intervals`() {
        let receiver = VirtualReceiver()
        let frames = stream.frames(20, ticks: 18_000)
        for (index, frame) in frames.enumerated() where index != 2 {
            receiver.insert(frame, at: .milliseconds(Double(200 * index)))
        }
        #expect(Array(receiver.requests.prefix(3)) == [700, 1300, 1900].map { MediaTime.milliseconds($0) })
    }

    @Test mutating func `A chain that heals asks no more`() {
        let receiver = VirtualReceiver()
        let frames = stream.frames(40)
        for (index, frame) in frames.enumerated() where index != 1 {
            receiver.insert(frame, at: arrival(index))
            if index == 8 { receiver.insert(frames[1], at: arrival(8) + .milliseconds(1)) }
        }
        receiver.pass(until: .seconds(5))
        #expect(receiver.requests == [playout(2)])
        #expect(receiver.released == Array(100..<140))
        #expect(receiver.shown == [100] + Array(105..<140))
    }

    @Test mutating func `A key frame that is due replaces what cannot be decoded`() {
        let receiver = VirtualReceiver()
        let start = stream.frames(3)
        let key = stream.frame(isKey: true)
        receiver.insert(start[0], at: arrival(0))
        receiver.insert(start[2], at: arrival(2) + .milliseconds(50))
        receiver.insert(key, at: arrival(3))
        receiver.pass(until: .seconds(1))
        // Frame 2 is due before the key frame, which is there by then: no request.
        #expect(receiver.requests.isEmpty)
        #expect(receiver.shown == [100, 103])
        #expect(receiver.frames[1].time == playout(3))
        #expect(receiver.statistics.drops.undecodable == 1)
        // The lost frame is too late now.
        #expect(receiver.insert(start[1].packets[0], at: .seconds(2)) == .late)
    }

    @Test mutating func `A key frame that arrives in a broken chain replaces it at once`() {
        let receiver = VirtualReceiver()
        let start = stream.frames(3)
        let key = stream.frame(isKey: true)
        for index in [0, 2] { receiver.insert(start[index], at: arrival(index)) }
        receiver.pass(until: playout(2))
        #expect(receiver.requests == [playout(2)])
        // It will be played out in time; what it replaces is given up now, and cannot heal any more.
        receiver.insert(key, at: playout(2) + .milliseconds(1))
        #expect(receiver.statistics.drops.undecodable == 1)
        #expect(receiver.insert(start[1].packets[0], at: playout(2) + .milliseconds(2)) == .late)
        receiver.pass(until: .seconds(1))
        #expect(receiver.shown == [100, 103])
        #expect(receiver.requests.count == 1)
    }

    @Test mutating func `A frame is not shown if a key frame after a gap is due as well`() {
        let receiver = VirtualReceiver()
        let start = stream.frames(3, packets: 2)
        let key = stream.frame(isKey: true)
        receiver.insert(start[0], at: arrival(0))
        receiver.insert(start[1].packets[0], at: arrival(1))
        receiver.insert(start[2].packets[0], at: arrival(2))
        let late = playout(3) + .milliseconds(5)
        receiver.play([(late, start[1].packets[1]), (late, key.packets[0])], until: .seconds(1))
        #expect(receiver.released == [100, 101, 103])
        #expect(receiver.shown == [100, 103])
        #expect(receiver.frames[2].time == late)
    }

    @Test mutating func `Before the first key frame the same rule holds`() {
        let receiver = VirtualReceiver()
        _ = stream.frame(isKey: true)
        for index in 0..<3 { receiver.insert(stream.frame(), at: arrival(index)) }
        receiver.pass(until: playout(0) - MediaDuration(nanoseconds: 1))
        #expect(receiver.requests.isEmpty)
        for index in 3..<5 { receiver.insert(stream.frame(), at: arrival(index)) }
        receiver.pass(until: playout(4))
        #expect(receiver.requests == [playout(0)])
        #expect(receiver.frames.isEmpty)
        receiver.insert(stream.frame(isKey: true), at: arrival(5) + .milliseconds(200))
        receiver.pass(until: .seconds(2))
        #expect(receiver.shown == [106])
    }

    @Test mutating func `A refused frame breaks the chain at once`() throws {
        let receiver = VirtualReceiver()
        let frames = stream.frames(6)
        for (index, frame) in frames.enumerated() { receiver.insert(frame, at: arrival(index)) }
        receiver.pass(until: playout(2))
        let refused = try #require(receiver.frames.last)
        receiver.buffer.decodingFailed(refused.received.frame)
        receiver.poll(at: playout(2))
        #expect(receiver.requests == [playout(2)])
        receiver.pass(until: playout(5))
        #expect(receiver.released == [100, 101, 102])
        receiver.insert(stream.frame(isKey: true), at: arrival(6))
        receiver.pass(until: .seconds(1))
        #expect(receiver.released == [100, 101, 102, 106])
        // What a key frame has mended stays mended.
        receiver.buffer.decodingFailed(refused.received.frame)
        receiver.insert(stream.frame(), at: .seconds(1))
        receiver.pass(until: .seconds(2))
        #expect(receiver.released.last == 107)
        #expect(receiver.requests.count == 1)
    }

    // MARK: Discardable frames

    @Test mutating func `Nothing refers to a discardable frame`() {
        let receiver = VirtualReceiver()
        receiver.insert(stream.frame(isKey: true), at: arrival(0))
        stream.descriptor.isNonReference = true
        receiver.insert(stream.frame(), at: arrival(1))
        stream.descriptor.isNonReference = false
        receiver.insert(stream.frame(), at: arrival(2))
        receiver.pass(until: .seconds(1))
        #expect(receiver.frames.map { $0.references } == [[], [100], [100]])
        #expect(receiver.frames.map { $0.received.frame.isDiscardable } == [false, true, false])
    }

    @Test mutating func `A damaged discardable frame does not stop the stream`() {
        let receiver = VirtualReceiver()
        receiver.insert(stream.frame(isKey: true), at: arrival(0))
        stream.descriptor.isNonReference = true
        receiver.insert(stream.frame(packets: 3).packets[1], at: arrival(1))
        stream.descriptor.isNonReference = false
        receiver.insert(stream.frame(), at: arrival(2))
        receiver.pass(until: .seconds(1))
        #expect(receiver.shown == [100, 102])
        #expect(receiver.frames[1].references == [100] && receiver.frames[1].time == playout(2))
        #expect(receiver.requests.isEmpty)
        #expect(receiver.statistics.drops.incomplete == 1)
    }

    @Test mutating func `A discardable frame that is late is dropped`() {
        let receiver = VirtualReceiver()
        receiver.insert(stream.frame(isKey: true), at: arrival(0))
        let missing = stream.frame()
        stream.descriptor.isNonReference = true
        receiver.insert(stream.frame(), at: arrival(2))
        stream.descriptor.isNonReference = false
        receiver.insert(stream.frame(), at: arrival(3))
        receiver.insert(missing, at: playout(3))
        receiver.pass(until: .seconds(1))
        #expect(receiver.released == [100, 101, 103])
        #expect(receiver.shown == [100, 103])
        #expect(receiver.statistics.drops.notNeeded == 1)
    }
}
