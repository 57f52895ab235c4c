import RillCore
import RillPacketSupport
import RillRTP
import RillTestSupport
import Testing

@testable import RillReceive

/// Hours of a stream in virtual time, through the jitter buffer alone: a sender whose clock runs apart from the
/// receiver's, whose counters wrap, and which pauses for a minute in every hour.
///
/// The network takes 20 ms and up to 8 more, frame by frame and never one past another, and loses 0.5 % of the packets;
/// what is asked for comes a round trip later, unless it is lost too.
struct DayOfVideo {
    var frameRate = 5
    var packetsPerFrame = 1
    var hours = 24
    /// By how much the receiver's clock runs faster, as a share.
    var skew = 0.0

    static let roundTripTime = MediaDuration.milliseconds(40)
    static let fastestWay = MediaDuration.milliseconds(20)
    static let jitter = MediaDuration.milliseconds(8)
    private static let loss = 0.005
    /// The sender pauses from the thirtieth minute of each hour to the next one.
    private static let pauseStart = 1800
    private static let pauseEnd = 1860

    /// What is to be known of it.
    struct Outcome {
        var framesSent = 0
        var framesShown = 0
        /// From capture to release, less the fastest way, in milliseconds, hour by hour; of the hours that are
        /// compared.
        var delays: [Int: [Double]] = [:]
        /// The most packets that were held at once in each hour.
        var occupancy: [Int] = []
        /// What the process took of the machine's memory at the end of each hour.
        var residentBytes: [Int] = []
        /// From the first frame sent after each pause to the first one released.
        var comebacks: [MediaDuration] = []
        var keyFrameRequests = 0
        var isInOrder = true
        var statistics = InboundStatistics()

        func median(ofHour hour: Int) -> Double {
            let sorted = (delays[hour] ?? []).sorted()
            return sorted.isEmpty ? .infinity : sorted[sorted.count / 2]
        }
    }

    private struct Arrival {
        var time: MediaTime
        var packet: Int
        var origin: PacketOrigin
    }

    /// Runs it all.
    func run() throws -> Outcome {
        var run = Run(self)
        try run.play()
        return run.outcome
    }

    private struct Run: ~Copyable {
        let day: DayOfVideo
        var outcome = Outcome()
        private var buffer: JitterBuffer
        private var random = SeededGenerator(seed: 24)
        private var arrivals: [Arrival] = []
        private var wake = MediaTime.distantFuture
        private var lastArrival = MediaTime.zero
        private var payload: [UInt8] = []
        private var lastNumber = Int64.min
        /// Index of the frame that is captured next, and packets sent.
        private var frame = 0
        private var sent = 0
        /// Frames by number: when they were captured, on the receiver's clock, and their timestamps.
        private var captures: [MediaTime]
        private var timestamps: [UInt32]
        /// When the first frame after a pause was sent, until it is shown.
        private var comeback: (frame: Int, time: MediaTime)?
        private let firstSequence = UInt16(65_500)
        private let firstTimestamp = UInt32.max - 100_000
        private let firstPictureID = 32_700
        private var templates: (key: [[UInt8]], delta: [[UInt8]])
        private var firstEmission: Int64?

        private static let history = 4096

        init(_ day: DayOfVideo) {
            self.day = day
            var stream = SyntheticStream()
            templates = (
                stream.frame(isKey: true, packets: day.packetsPerFrame).packets,
                stream.frame(packets: day.packetsPerFrame).packets
            )
            buffer = JitterBuffer(
                JitterBufferSettings(payloadType: stream.payloadType, roundTripTime: DayOfVideo.roundTripTime))
            captures = Array(repeating: .zero, count: Run.history)
            timestamps = Array(repeating: 0, count: Run.history)
        }

        mutating func play() throws {
            var hour = 0
            var mostPackets = 0
            while true {
                let capture = capture(of: frame)
                if capture >= .zero + .seconds(Double(3600 * (hour + 1))) {
                    outcome.occupancy.append(mostPackets)
                    outcome.residentBytes.append(try residentByteCount())
                    mostPackets = 0
                    hour += 1
                    // Each hour has the same weather, so that hours can be compared.
                    random = SeededGenerator(seed: 24)
                    if hour == day.hours { break }
                }
                let next = min(capture, min(wake, arrivals.first?.time ?? .distantFuture))
                if next == capture {
                    send(at: capture)
                } else if next == wake {
                    poll(at: wake)
                } else {
                    let arrival = arrivals.removeFirst()
                    insert(arrival)
                    mostPackets = max(mostPackets, buffer.occupancy.packets)
                    poll(at: arrival.time)
                }
            }
            outcome.statistics = buffer.statistics
        }

        // MARK: The sender

        /// Seconds of the sender's clock at which frame `index` is captured: there are none in a pause.
        private func senderSeconds(of index: Int) -> (seconds: Double, hour: Int, isAfterPause: Bool) {
            let perHour = (3600 - (DayOfVideo.pauseEnd - DayOfVideo.pauseStart)) * day.frameRate
            let (hour, place) = index.quotientAndRemainder(dividingBy: perHour)
            let isAfterPause = place >= DayOfVideo.pauseStart * day.frameRate
            let pause = isAfterPause ? DayOfVideo.pauseEnd - DayOfVideo.pauseStart : 0
            return (Double(hour * 3600 + pause) + Double(place) / Double(day.frameRate), hour, isAfterPause)
        }

        /// When that is on the receiver's clock.
        private func capture(of index: Int) -> MediaTime {
            .zero + .seconds(senderSeconds(of: index).seconds * (1 + day.skew))
        }

        private mutating func send(at capture: MediaTime) {
            let (seconds, hour, isAfterPause) = senderSeconds(of: frame)
            // In the pause of every second hour the media clock stands still.
            let pausesWithClock = (hour + (isAfterPause ? 1 : 0)) / 2
            let media = seconds - Double(pausesWithClock * (DayOfVideo.pauseEnd - DayOfVideo.pauseStart))
            captures[frame % Run.history] = capture
            timestamps[frame % Run.history] =
                firstTimestamp &+ UInt32(truncatingIfNeeded: Int64((media * 90_000).rounded()))
            if frame > 0, capture - self.capture(of: frame - 1) > .seconds(10) { comeback = (frame, capture) }
            let arrival = max(lastArrival, capture + DayOfVideo.fastestWay + random.duration(below: DayOfVideo.jitter))
            lastArrival = arrival
            for _ in 0..<day.packetsPerFrame {
                deliver(Arrival(time: arrival, packet: sent, origin: .network))
                sent += 1
            }
            frame += 1
            outcome.framesSent += 1
        }

        private mutating func deliver(_ arrival: Arrival) {
            // The very first frame is not lost: there would be nothing to miss.
            guard arrival.packet < day.packetsPerFrame || random.unitInterval() >= DayOfVideo.loss else { return }
            var index = arrivals.count
            while index > 0, arrivals[index - 1].time > arrival.time { index -= 1 }
            arrivals.insert(arrival, at: index)
        }

        /// Puts a packet in, made from its frame's template.
        private mutating func insert(_ arrival: Arrival) {
            let (frame, place) = arrival.packet.quotientAndRemainder(dividingBy: day.packetsPerFrame)
            var packet = frame == 0 ? templates.key[place] : templates.delta[place]
            let sequence = firstSequence &+ UInt16(truncatingIfNeeded: arrival.packet)
            let timestamp = timestamps[frame % Run.history]
            let pictureID = (firstPictureID + frame) & 0x7FFF
            packet[2] = UInt8(sequence >> 8)
            packet[3] = UInt8(sequence & 0xFF)
            for index in 0..<4 { packet[4 + index] = UInt8(truncatingIfNeeded: timestamp >> (24 - 8 * UInt32(index))) }
            packet[14] = 0x80 | UInt8(pictureID >> 8)
            packet[15] = UInt8(pictureID & 0xFF)
            _ = buffer.insert(packet.span, origin: arrival.origin, at: arrival.time)
        }

        // MARK: The receiver

        private mutating func poll(at now: MediaTime) {
            while true {
                switch buffer.poll(at: now, into: &payload) {
                case .frame: note(buffer.releasedFrame, at: now)
                case .requestKeyFrame: outcome.keyFrameRequests += 1
                case .requestPackets: answer(at: now)
                case .wait(let time):
                    wake = time
                    return
                }
            }
        }

        private mutating func answer(at now: MediaTime) {
            for number in buffer.requestedPackets.map(\.rawValue) {
                let next = firstSequence &+ UInt16(truncatingIfNeeded: sent)
                let age = Int(next &- number)
                // Packets not sent yet cannot be retransmitted, nor those no longer kept.
                guard (1...min(sent, Run.history / 2)).contains(age) else { continue }
                deliver(
                    Arrival(time: now + DayOfVideo.roundTripTime, packet: sent - age, origin: .retransmission))
            }
        }

        private mutating func note(_ received: ReceivedFrame, at now: MediaTime) {
            let number = received.frame.number
            if number <= lastNumber { outcome.isInOrder = false }
            lastNumber = number
            let first = firstEmission ?? number
            firstEmission = first
            let index = Int(number - first)
            guard received.isShown else { return }
            outcome.framesShown += 1
            if let comeback, index >= comeback.frame {
                outcome.comebacks.append(now - comeback.time)
                self.comeback = nil
            }
            let hour = Int(captures[index % Run.history].seconds / 3600)
            guard hour == 1 || hour == day.hours - 1 else { return }
            let delay = now - captures[index % Run.history] - DayOfVideo.fastestWay
            outcome.delays[hour, default: []].append(delay.milliseconds)
        }
    }
}
