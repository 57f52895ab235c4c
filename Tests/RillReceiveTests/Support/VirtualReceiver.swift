import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import Testing

/// A receiver in virtual time: a jitter buffer, what came out of it, and when it wants to be woken.
final class VirtualReceiver {
    var buffer: JitterBuffer
    private(set) var frames: [Output] = []
    private(set) var requests: [MediaTime] = []
    /// When packets were asked for, and which.
    private(set) var nacks: [(time: MediaTime, packets: [UInt16])] = []
    /// The time last named by `poll`.
    private(set) var wake = MediaTime.distantFuture
    private var payload: [UInt8] = []

    struct Output {
        var received: ReceivedFrame
        var time: MediaTime
        var bytes: [UInt8]

        var number: Int64 { received.frame.number }
        var references: [Int64] { (0..<received.frame.references.count).map { received.frame.references[$0] } }
    }

    /// By default frames are delayed by 100 ms, and packets are not retransmitted. NACKs are not repeated within a
    /// round trip: that is looked at by the tests of NACKScheduler.
    init(
        _ settings: JitterBufferSettings = JitterBufferSettings(
            payloadType: PayloadType(96), playoutDelay: .fixed(.milliseconds(100)), nack: nil)
    ) {
        var settings = settings
        settings.nack?.copies = 0
        buffer = JitterBuffer(settings)
    }

    /// Lets time pass until `time`, puts the packet in, and polls.
    @discardableResult
    func insert(_ packet: [UInt8], _ origin: PacketOrigin = .network, at time: MediaTime) -> InsertResult {
        pass(until: time - MediaDuration(nanoseconds: 1))
        let result = buffer.insert(packet.span, origin: origin, at: time)
        poll(at: time)
        return result
    }

    /// Puts in all packets of a frame at once, then polls.
    func insert(_ frame: SyntheticStream.Frame, at time: MediaTime) {
        pass(until: time - MediaDuration(nanoseconds: 1))
        for packet in frame.packets { _ = buffer.insert(packet.span, at: time) }
        poll(at: time)
    }

    /// Lets time pass until `end`, itself included.
    func pass(until end: MediaTime) {
        while wake <= end { poll(at: wake) }
    }

    /// Plays packets at their times, those of one instant in the order given, then lets time pass until `end`.
    func play(_ arrivals: [(time: MediaTime, packet: [UInt8])], until end: MediaTime) {
        let arrivals = arrivals.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
        var next = 0
        while next < arrivals.count {
            let now = arrivals[next].element.time
            pass(until: now - MediaDuration(nanoseconds: 1))
            while next < arrivals.count, arrivals[next].element.time == now {
                let packet = arrivals[next].element.packet
                _ = buffer.insert(packet.span, at: now)
                next += 1
            }
            poll(at: now)
        }
        pass(until: end)
    }

    /// Polls until the buffer says to wait, which must be soon, and for later.
    func poll(at now: MediaTime) {
        for _ in 0..<100_000 {
            switch buffer.poll(at: now, into: &payload) {
            case .frame:
                frames.append(Output(received: buffer.releasedFrame, time: now, bytes: payload))
            case .requestKeyFrame:
                requests.append(now)
            case .requestPackets:
                nacks.append((now, buffer.requestedPackets.map(\.rawValue)))
            case .wait(let time):
                #expect(time > now, "told at \(now) to wait until \(time)")
                wake = time
                return
            }
        }
        Issue.record("polling at \(now) does not come to an end")
        wake = .distantFuture
    }

    /// What a receiver report would say now.
    func reportBlock(at now: MediaTime) -> ReportBlock? { buffer.reportBlock(at: now) }

    /// The numbers of the frames shown.
    var shown: [Int64] { frames.filter(\.received.isShown).map(\.number) }
    /// The numbers of all frames released.
    var released: [Int64] { frames.map(\.number) }
    var statistics: InboundStatistics { buffer.statistics }
}

extension MediaTime {
    static func milliseconds(_ value: Double) -> MediaTime { .zero + .seconds(value / 1000) }
    static func seconds(_ value: Double) -> MediaTime { .zero + .seconds(value) }

    /// When frame `index` of 30 a second was captured.
    static func frame(_ index: Int) -> MediaTime { MediaTime(ticks: Int64(index) * 3000, rate: 90_000) }
}
