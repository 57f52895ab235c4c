import Rill
import RillCore
import RillReceive

/// Plays packets of a recorded stream into a jitter buffer.
///
/// A struct, so that its properties need no run-time exclusivity checks.
struct ChainBench: ~Copyable {
    /// Depends on all of the work.
    private(set) var sum = 0
    private var stream: RecordedStream
    private var buffer: JitterBuffer
    private var payload: [UInt8] = []
    private var wakeTime = MediaTime.distantFuture
    /// The first packet that has not been sent.
    private var next = 0
    /// NACKed packets and their arrival times, in that order; those before `firstRepair` have arrived.
    private var repairs: [(index: Int, time: MediaTime)] = []
    private var firstRepair = 0
    private let schedule: Schedule

    private var ring = [UInt8](repeating: 0, count: ChainBench.slotCount * ChainBench.slotByteCount)

    private static let roundTripTime = MediaDuration.milliseconds(100)
    private static let (slotCount, slotByteCount) = (64, 1500)

    init(_ stream: RecordedStream) {
        self.stream = stream
        schedule = Schedule(stream)
        let settings = JitterBufferSettings(payloadType: stream.payloadType, roundTripTime: ChainBench.roundTripTime)
        buffer = JitterBuffer(settings)
        repairs.reserveCapacity(65_536)
    }

    /// All packets arrive in order.
    mutating func receiveInOrder(packets count: Int) {
        var position = stream.position(of: next)
        for index in next..<next + count {
            let now = stream.time(at: position)
            while wakeTime <= now { poll(at: wakeTime, newest: index) }
            stream.withPacket(at: position) { _ = buffer.insert($0, at: now) }
            poll(at: now, newest: index)
            stream.advance(&position)
        }
        next += count
    }

    /// 5 % of the packets arrive 10 ms late, so that others overtake them, and 2 % are lost; the jitter buffer NACKs
    /// them, and they arrive 100 ms later.
    mutating func receiveDisturbed(packets count: Int) {
        for index in next..<next + count {
            let event = schedule[index]
            come(until: event.time, newest: index)
            guard !event.isLost else { continue }
            stream.withPacket(event.index) { _ = buffer.insert($0, at: event.time) }
            poll(at: event.time, newest: index)
        }
        next += count
    }

    /// Inserts the retransmissions, and plays out the due frames, up to `end`.
    private mutating func come(until end: MediaTime, newest: Int) {
        while true {
            let repair = firstRepair < repairs.count ? repairs[firstRepair].time : .distantFuture
            let time = min(wakeTime, repair)
            guard time <= end else { return }
            if repair <= wakeTime {
                let index = repairs[firstRepair].index
                firstRepair += 1
                stream.withPacket(index) { _ = buffer.insert($0, origin: .retransmission, at: time) }
                if firstRepair == repairs.count {
                    repairs.removeAll(keepingCapacity: true)
                    firstRepair = 0
                }
            }
            poll(at: time, newest: newest)
        }
    }

    private mutating func poll(at now: MediaTime, newest: Int) {
        while true {
            switch buffer.poll(at: now, into: &payload) {
            case .frame: sum &+= payload.count
            case .requestKeyFrame: sum &+= 1
            case .requestPackets:
                for number in buffer.requestedPackets {
                    // Up to a few hundred packets ahead are not sent yet in the order of the schedule.
                    let index = stream.index(of: number, upTo: newest)
                    repairs.append((index, now + ChainBench.roundTripTime))
                }
            case .wait(let time):
                wakeTime = time
                return
            }
        }
    }

    /// Only renumbers the packets, as all of these do.
    mutating func renumber(packets count: Int) {
        var position = stream.position(of: next)
        for _ in 0..<count {
            stream.withPacket(at: position) { sum &+= Int($0[15]) }
            stream.advance(&position)
        }
        next += count
    }

    /// Renumbers the packets and copies each twice, into a ring of 64 and out of it: the minimum for a buffer.
    mutating func copy(packets count: Int) {
        var frame = [UInt8](repeating: 0, count: ChainBench.slotByteCount)
        var position = stream.position(of: next)
        frame.withUnsafeMutableBufferPointer { frame in
            ring.withUnsafeMutableBufferPointer { ring in
                for index in next..<next + count {
                    let slot = ring.baseAddress! + index % ChainBench.slotCount * ChainBench.slotByteCount
                    let byteCount = stream.withPacket(at: position) { packet in
                        packet.withUnsafeBufferPointer { packet in
                            slot.update(from: packet.baseAddress!, count: packet.count)
                            return packet.count
                        }
                    }
                    frame.baseAddress!.update(from: slot, count: byteCount)
                    sum &+= Int(frame[15])
                    stream.advance(&position)
                }
            }
        }
        next += count
    }
}

/// The arrival order of packets when some are late and some are lost. It is drawn in advance for a few rounds, so that
/// it takes no time, and then repeats.
private struct Schedule {
    struct Event {
        var index: Int
        var time: MediaTime
        var isLost: Bool
    }

    private static let rounds = 16
    private var events: [Event] = []
    private let length: MediaDuration

    init(_ stream: RecordedStream) {
        var generator = SeededGenerator(seed: 1)
        for index in 0..<stream.count * Schedule.rounds {
            let isLost = Int.random(in: 0..<100, using: &generator) < 2
            let isLate = Int.random(in: 0..<100, using: &generator) < 5
            let time = stream.time(of: index)
            events.append(Event(index: index, time: isLate ? time + .milliseconds(10) : time, isLost: isLost))
        }
        // In sending order for equal times.
        events.sort { ($0.time, $0.index) < ($1.time, $1.index) }
        length = stream.roundLength * Schedule.rounds
    }

    subscript(index: Int) -> Event {
        let (turn, place) = index.quotientAndRemainder(dividingBy: events.count)
        var event = events[place]
        event.index += turn * events.count
        event.time += length * turn
        return event
    }
}
