import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import Testing

/// Frames of which no packet comes, with nothing behind them: a regular stream's are asked for when they are late, if
/// packets are being lost. On a path that loses nothing, a stream that is late or ends is not asked for anything.
struct OverdueFrameTests {
    private var stream = SyntheticStream()
    private let transit = MediaDuration.milliseconds(50)

    private static func receiver(asks: Bool = true) -> VirtualReceiver {
        VirtualReceiver(JitterBufferSettings(payloadType: PayloadType(96), nack: asks ? NACKSettings() : nil))
    }

    /// When a frame comes that nothing holds up, in milliseconds.
    private func due(_ index: Int) -> Double { (MediaTime.frame(index) + transit - .zero).milliseconds }

    /// The requests since then, with their times in milliseconds.
    private func requests(_ receiver: VirtualReceiver, since time: Double) -> [(time: Double, packets: [UInt16])] {
        receiver.nacks.map { (($0.time - .zero).milliseconds, $0.packets) }.filter { $0.time >= time }
    }

    /// Plays frames in their time, all but the first packet of those in `lost`, which comes 100 ms late.
    private mutating func play(_ range: Range<Int>, to receiver: VirtualReceiver, losing lost: Set<Int> = []) {
        var repairs: [(time: MediaTime, packet: [UInt8])] = []
        for index in range {
            let frame = stream.frame(isKey: index == 0, packets: 2)
            let time = MediaTime.frame(index) + transit
            while let repair = repairs.first, repair.time < time {
                receiver.insert(repair.packet, .retransmission, at: repair.time)
                repairs.removeFirst()
            }
            if lost.contains(index) { repairs.append((time + .milliseconds(100), frame.packets[0])) }
            for packet in frame.packets[(lost.contains(index) ? 1 : 0)...] { receiver.insert(packet, at: time) }
        }
    }

    private func isNear(_ time: Double, _ expected: Double) -> Bool { abs(time - expected) < 1 }

    @Test(arguments: [1, 2, 60, 930])
    func `Of a stream that ends before any loss nothing is NACKed`(count: Int) {
        var test = self
        let receiver = Self.receiver()
        test.play(0..<count, to: receiver)
        receiver.pass(until: .frame(count) + .seconds(20))
        #expect(receiver.nacks.isEmpty && receiver.requests.isEmpty, "\(receiver.nacks)")
    }

    /// An encoder that stalls now and then, and what it has made meanwhile comes at once.
    @Test(arguments: [40, 100, 170, 400, 1500])
    func `A sender that stalls on a path without loss is not NACKed`(milliseconds: Int) {
        var test = self
        let receiver = Self.receiver()
        for index in 0..<930 {
            let frame = test.stream.frame(isKey: index == 0, packets: 1 + index % 4)
            // Each hundredth frame and those behind it wait until the stall is over.
            let stall = Double(milliseconds) - MediaDuration.milliseconds(33).milliseconds * Double(index % 100)
            receiver.insert(frame, at: .milliseconds(test.due(index) + (index < 100 ? 0 : max(0, stall))))
        }
        receiver.pass(until: .seconds(60))
        #expect(receiver.nacks.isEmpty && receiver.requests.isEmpty, "\(receiver.nacks)")
        #expect(receiver.released.count == 930)
    }

    @Test mutating func `After loss each late frame is NACKed completely`() {
        let receiver = Self.receiver()
        play(0..<60, to: receiver, losing: [30])
        let next = stream.sequence.rawValue
        receiver.pass(until: .milliseconds(due(63) + 25))
        // The first of them is asked for a second time by now.
        let found = Array(requests(receiver, since: due(60)).prefix(4))
        #expect(found.map(\.packets) == (0..<4).map { [next + 2 * $0, next + 2 * $0 + 1] }, "\(found)")
        for (index, request) in found.enumerated() { #expect(isNear(request.time, due(60 + index) + 20), "\(found)") }
        // Of a stream that has stopped no more than 300 ms are asked for, and that twice.
        receiver.pass(until: .seconds(20))
        let packets = requests(receiver, since: due(60)).flatMap(\.packets)
        #expect(Set(packets).count == 20 && packets.count == 40, "\(packets.count)")
        #expect(receiver.requests.isEmpty)
    }

    /// As frames that a forwarder repeats for a viewer who joins: they follow each other at once.
    @Test mutating func `Frames that are stamped a tick apart are no frame rate`() {
        let receiver = Self.receiver()
        play(0..<60, to: receiver, losing: [30])
        for _ in 0..<5 { receiver.insert(stream.frame(packets: 2, ticks: 1), at: .milliseconds(due(60))) }
        receiver.pass(until: .seconds(20))
        let packets = requests(receiver, since: due(59)).flatMap(\.packets)
        #expect(packets.count <= 40, "\(packets.count)")
        let count = receiver.released.count
        receiver.insert(stream.frame(isKey: true, packets: 2), at: .seconds(21))
        receiver.pass(until: .seconds(23))
        #expect(receiver.released.count == count + 1)
    }

    @Test mutating func `A retransmitted frame is shown, and the stream continues`() {
        let receiver = Self.receiver()
        play(0..<60, to: receiver, losing: [30])
        let lost = (0..<6).map { _ in stream.frame(packets: 2) }
        receiver.pass(until: .milliseconds(due(61) + 110))
        for frame in lost {
            for packet in frame.packets { receiver.insert(packet, .retransmission, at: .milliseconds(due(65))) }
        }
        play(66..<90, to: receiver)
        // The delay has grown by the first repair.
        receiver.pass(until: .milliseconds(due(90) + 200))
        #expect(receiver.shown.count >= 90 - 6 && receiver.released == Array(100..<190))
        #expect(receiver.requests.isEmpty && receiver.statistics.packetsDiscarded == 0)
    }

    /// A queue holds up a key frame and all behind it: nothing is lost, and nothing is asked for.
    @Test mutating func `A frame no later than the one before it is not NACKed`() {
        let receiver = Self.receiver()
        play(0..<60, to: receiver)
        for index in 60..<64 {
            receiver.insert(
                stream.frame(packets: 2), at: .milliseconds(due(index) + Double(min(240, 70 * (index - 59)))))
        }
        receiver.pass(until: .milliseconds(due(64) + 240))
        #expect(receiver.nacks.isEmpty, "\(receiver.nacks)")
    }

    @Test mutating func `An irregular stream is not NACKed`() {
        let receiver = Self.receiver()
        var time = transit
        for index in 0..<60 {
            let ticks: Int64 = index.isMultiple(of: 2) ? 3000 : 9000
            receiver.insert(stream.frame(isKey: index == 0, ticks: ticks), at: .zero + time)
            time += MediaTime(ticks: ticks, rate: 90_000) - .zero
        }
        receiver.pass(until: .seconds(20))
        #expect(receiver.nacks.isEmpty)
    }

    @Test mutating func `Without NACKs the buffer does not wait`() {
        let receiver = Self.receiver(asks: false)
        play(0..<60, to: receiver)
        receiver.pass(until: .seconds(20))
        #expect(receiver.nacks.isEmpty && receiver.wake == .distantFuture)
    }
}
