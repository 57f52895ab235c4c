import Arguments
import Glibc
import Rill
import RillRTP
import RillTransport
import Synchronization

/// Receives many participants through one socket, as a call does, and decodes all of them.
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
        let transport = SplitTransport(try UDPSocket(boundTo: address, settings: .large))
        let meter = LoadMeter()
        var settings = VideoCallSettings()
        settings.decodingThreadCount = threads
        let call = try VideoCall(settings, source: nil)
        let (highPictures, lowPictures) = (PictureTally(call.clock), PictureTally(call.clock))
        for index in 0..<high + low {
            let ssrc = SSRC(UInt32(index) + 1)
            let pictures = index < high ? highPictures : lowPictures
            var them = ParticipantSettings("\(index)", at: SplitTransport.address(of: ssrc), key: nil)
            them.streams = [.withoutRepair(ssrc)]
            try call.add(them, over: transport) { them in
                try them.show(.high, on: pictures.sink()) { $0.jitterBuffer.nack = nil }
            }
        }
        // The sender starts when all streams exist.
        print("ready")
        fflush(nil)
        let end = call.clock.now + ReceiversWork.firstPacketTimeout
        while transport.statistics.received == 0 {
            guard call.clock.now < end else {
                throw WrongUse("no packet arrived for \(ReceiversWork.firstPacketTimeout.seconds) s")
            }
            usleep(1000)
        }
        func counts() -> [Int] {
            [highPictures.shown.count, lowPictures.shown.count, highPictures.late.count + lowPictures.late.count]
                + [transport.statistics.received]
        }
        func receive(for seconds: Double) { usleep(UInt32(seconds * 1e6)) }
        receive(for: ReceiversWork.warmUp)
        let before = counts()
        let taken = meter.measure(seconds: seconds, receive)
        let work = zip(counts(), before).map(-)
        call.waitForEnd()
        print("\(taken) high=\(work[0]) low=\(work[1]) late=\(work[2]) packets=\(work[3])")
    }
}

/// A socket that gives each SSRC an address of its own: one process sends the packets of all participants.
private final class SplitTransport: DatagramTransport {
    private let socket: UDPSocket
    private let incoming = Mutex(IncomingDatagrams(capacity: 64))

    init(_ socket: UDPSocket) { self.socket = socket }

    static func address(of ssrc: SSRC) -> UDPAddress {
        UDPAddress(.loopback, port: UInt16(truncatingIfNeeded: ssrc.rawValue))
    }

    var localAddress: UDPAddress { socket.localAddress }
    var statistics: TransportStatistics { socket.statistics }
    func close() { socket.close() }

    /// Reports go nowhere: the sender does not read them.
    func send(_ datagrams: inout OutgoingDatagrams) -> SendOutcome {
        datagrams.removeAll()
        return .sent
    }

    func receive(
        into datagrams: inout IncomingDatagrams, within timeout: MediaDuration
    ) throws(TransportError) -> ReceiveOutcome {
        datagrams.removeAll()
        // Only the thread that receives takes this lock.
        return try incoming.withLock { (incoming) throws(TransportError) in
            let outcome = try socket.receive(into: &incoming, within: timeout)
            guard case .received = outcome else { return outcome }
            for index in incoming.indices {
                let bytes = incoming.bytes(at: index)
                guard let ssrc = SSRC(ofSenderOf: bytes) else { continue }
                _ = datagrams.append(copying: bytes, from: SplitTransport.address(of: ssrc))
            }
            return outcome
        }
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
