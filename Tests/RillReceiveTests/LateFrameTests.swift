import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import Testing

/// What becomes of the frames that wait behind a late one: in the first seconds all are shown, later they catch up.
struct LateFrameTests {
    private var stream = SyntheticStream()
    private let transit = MediaDuration.milliseconds(20)

    private static func receiver(_ playoutDelay: PlayoutDelayBounds = .adaptive) -> VirtualReceiver {
        VirtualReceiver(JitterBufferSettings(payloadType: PayloadType(96), playoutDelay: playoutDelay))
    }

    /// Plays frames 0 to `count` in their time, the second packet of frame `late` 110 ms late, and gives how many
    /// frames behind that one were not shown.
    private mutating func play(_ count: Int, late: Int, to receiver: VirtualReceiver) -> Int {
        var arrivals: [(time: MediaTime, packet: [UInt8])] = []
        for index in 0..<count {
            let frame = stream.frame(isKey: index == 0, packets: 2)
            let time = MediaTime.frame(index) + transit
            arrivals.append((time, frame.packets[0]))
            arrivals.append((index == late ? time + .milliseconds(110) : time, frame.packets[1]))
        }
        receiver.play(arrivals, until: .frame(count + 30))
        #expect(receiver.released == (0..<count).map { Int64(100 + $0) })
        #expect(receiver.requests.isEmpty)
        return receiver.frames.count { !$0.received.isShown }
    }

    @Test(arguments: [0, 1, 2, 10, 60, 140])
    func `In the first seconds all are shown one frame interval apart`(late: Int) {
        var test = self
        let receiver = Self.receiver()
        let missed = test.play(late + 20, late: late, to: receiver)
        #expect(missed == 0, "frame \(late)")
        let times = receiver.frames.dropFirst(late).map(\.time)
        for (time, next) in zip(times, times.dropFirst()) {
            let step = (next - time).milliseconds
            #expect(step > 25 && step < 40, "\(step) ms behind frame \(late)")
        }
    }

    @Test mutating func `Later they catch up`() {
        let missed = play(220, late: 200, to: Self.receiver())
        #expect(missed == 3, "\(missed)")
    }

    @Test(arguments: [PlayoutDelayBounds.lowLatency, .fixed(.milliseconds(20))])
    func `Where the delay is fixed they catch up`(playoutDelay: PlayoutDelayBounds) {
        var test = self
        let missed = test.play(40, late: 10, to: Self.receiver(playoutDelay))
        #expect(missed >= 2, "\(missed)")
    }

    @Test mutating func `The delay decreases again`() {
        let receiver = Self.receiver()
        _ = play(300, late: 10, to: receiver)
        let delays = receiver.frames.enumerated().map { ($1.time - .frame($0)).milliseconds }
        #expect(delays[20] > 100 && delays[299] < 23, "\(delays[20]), \(delays[299])")
    }

    @Test mutating func `An outage is not waited for longer than a repair`() {
        let receiver = Self.receiver()
        let frames = stream.frames(60, packets: 2)
        for index in 0..<10 { receiver.insert(frames[index], at: .frame(index) + transit) }
        // What was sent in the second behind those is lost, and comes at its end, once asked for.
        receiver.insert(frames[40], at: .frame(40) + transit)
        let end = MediaTime.frame(40) + transit * 2
        receiver.pass(until: end - MediaDuration(nanoseconds: 1))
        for frame in frames[10..<40] {
            for packet in frame.packets { _ = receiver.buffer.insert(packet.span, origin: .retransmission, at: end) }
        }
        receiver.poll(at: end)
        for index in 41..<60 { receiver.insert(frames[index], at: .frame(index) + transit) }
        receiver.pass(until: .seconds(4))
        #expect(receiver.released == Array(100..<160))
        let shown = receiver.frames.filter(\.received.isShown)
        let delays = shown.map { ($0.time - .frame(Int($0.number - 100))).milliseconds }
        // 20 ms on the way, a repair, which is taken to be 143 ms here, and the margin; then the delay shrinks.
        #expect(shown.count < 40 && delays.suffix(19).allSatisfy { $0 > 22 && $0 < 166 }, "\(delays)")
    }
}
