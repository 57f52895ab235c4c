import Arguments
import Glibc
import Rill

/// Receives the live streams of many participants through one socket, and decodes all of them.
///
///     receivers --at ADDRESS --high N --low N --seconds S --threads N
struct ReceiversWork {
    private let address: UDPAddress
    /// The numbers of streams at full size, and of thumbnails. Their SSRCs are 1, 2, 3 …, full sizes first.
    private let (high, low): (Int, Int)
    /// The timed seconds after ``warmUp``; see ``LoadMeter``.
    private let seconds: Double
    private let threads: Int

    /// Streams start one after the other, each with a key frame.
    private static let warmUp = 2.0
    /// The timeout for the first packet.
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
        // The sender does not retransmit, so NACKs are not sent either.
        let receiver = LiveReceiver(feedback: ConcurrentPacketTap { _, _ in }, threadCount: threads)
        let (highPictures, lowPictures) = (PictureTally(receiver.clock), PictureTally(receiver.clock))
        for index in 0..<high + low {
            let stream = JitterBufferSettings.withoutNACK(SSRC(UInt32(index) + 1))
            let pictures = index < high ? highPictures : lowPictures
            try receiver.add(ReceiveSettings(jitterBuffer: stream, ssrc: SSRC(0x8000_0000)), sink: pictures.sink())
        }
        // The sender starts when all streams exist.
        print("ready")
        fflush(nil)
        var datagram: [UInt8] = []
        guard try socket.receive(into: &datagram, within: ReceiversWork.firstPacketTimeout) != nil else {
            throw WrongUse("no packet arrived for \(ReceiversWork.firstPacketTimeout.seconds) s")
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

/// Counts the shown pictures, and the late ones, on the decoding threads.
private final class PictureTally: Sendable {
    let (shown, late) = (Tally(), Tally())
    private let clock: LiveClock

    /// A picture is late if it is shown more than a frame interval after its last packet: the threads cannot keep up.
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
