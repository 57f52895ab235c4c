import Arguments
import Glibc
import Rill

/// Receives the streams of many participants live, through one socket, and decodes all of them.
///
///     receivers --at ADDRESS --high N --low N --seconds S --threads N
struct ReceiversWork {
    private let address: UDPAddress
    /// Streams at full size, and thumbnails. Their sources are numbered one after the other, from 1 on, full sizes first.
    private let (high, low): (Int, Int)
    /// How long is timed, after ``warmUp``; see ``LoadMeter``.
    private let seconds: Double
    private let threads: Int

    /// Streams begin one after the other, each with a key frame.
    private static let warmUp = 2.0
    /// Whoever waits longer for a first packet waits in vain.
    private static let firstPacketTimeout = MediaDuration.seconds(20)

    init(_ arguments: Arguments) throws {
        address = try UDPAddress.resolve(arguments["at"])
        high = try arguments.number("high", atLeast: 0) ?? 0
        low = try arguments.number("low", atLeast: 0) ?? 0
        seconds = try arguments.seconds()
        threads = try arguments.number("threads") ?? 1
    }

    func run() throws {
        let socket = try UDPSocket(boundTo: address, settings: .large)
        let meter = LoadMeter()
        // Nobody sends anything again: what is asked for is not sent either.
        let receiver = LiveReceiver(feedback: ConcurrentPacketTap { _, _ in }, threadCount: threads)
        let (highPictures, lowPictures) = (PictureTally(receiver.clock), PictureTally(receiver.clock))
        for index in 0..<high + low {
            let stream = JitterBufferSettings.withoutNACK(SSRC(UInt32(index) + 1))
            let pictures = index < high ? highPictures : lowPictures
            try receiver.add(ReceiveSettings(jitterBuffer: stream, ssrc: SSRC(0x8000_0000)), sink: pictures.sink())
        }
        // Whoever sends begins when all streams are there.
        print("ready")
        fflush(nil)
        var datagram: [UInt8] = []
        guard try socket.receive(into: &datagram, within: ReceiversWork.firstPacketTimeout) != nil else {
            throw WrongUse("nobody has sent anything for \(ReceiversWork.firstPacketTimeout.seconds) s")
        }
        receiver.insert(datagram.span)
        func receive(for seconds: Double) throws {
            let end = receiver.clock.now + MediaDuration.seconds(seconds)
            while receiver.clock.now < end {
                if try socket.receive(into: &datagram, within: .milliseconds(20)) != nil {
                    receiver.insert(datagram.span)
                }
            }
        }
        func counts() -> [Int] {
            [highPictures.shown.count, lowPictures.shown.count, highPictures.late.count + lowPictures.late.count]
                + [socket.statistics.received]
        }
        try receive(for: ReceiversWork.warmUp)
        let before = counts()
        let taken = try meter.measure(seconds: seconds, receive)
        let work = zip(counts(), before).map(-)
        try receiver.stop()
        print("\(taken) high=\(work[0]) low=\(work[1]) late=\(work[2]) packets=\(work[3])")
    }
}

/// Counts pictures that were shown, and those that were shown late, on the decoding threads.
private final class PictureTally: Sendable {
    let (shown, late) = (Tally(), Tally())
    private let clock: LiveClock

    /// A picture that is there a frame's time after its last packet was decoded too late: the threads cannot keep up.
    private static let longest = MediaDuration.microseconds(33_333)

    init(_ clock: LiveClock) {
        self.clock = clock
    }

    func sink() -> FrameTap {
        FrameTap { [self] frame in
            shown.add()
            if let assembled = frame.timestamps[.assembled], clock.now - assembled > PictureTally.longest { late.add() }
        }
    }
}
