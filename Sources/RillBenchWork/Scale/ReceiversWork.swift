import Glibc
import Rill
import RillCore
import Synchronization

/// Receives the streams of many participants live, through one socket, and decodes all of them.
struct ReceiversWork {
    var address: UDPAddress
    /// Streams at full size, and thumbnails. Their sources are numbered one after the other, from 1 on, full sizes first.
    var high: Int
    var low: Int
    /// How long is timed, after ``warmUp``; see ``LoadMeter``.
    var seconds: Double
    var threads: Int

    /// Streams begin one after the other, each with a key frame.
    private static let warmUp = 2.0
    /// Whoever waits longer for a first packet waits in vain.
    private static let patience = MediaDuration.seconds(20)

    func run() throws {
        var settings = UDPSocket.Settings()
        settings.receiveBufferByteCount = 8 << 20
        let socket = try UDPSocket(boundTo: address, settings: settings)
        let counter = InstructionCounter()
        // Nobody sends anything again: what is asked for is not sent either.
        let receiver = LiveReceiver(feedback: ConcurrentPacketTap { _, _ in }, threadCount: threads)
        let (highPictures, lowPictures) = (PictureTally(receiver.clock), PictureTally(receiver.clock))
        for index in 0..<high + low {
            var stream = JitterBufferSettings(ssrc: SSRC(UInt32(index) + 1), payloadType: PayloadType(96))
            stream.nack = nil
            let pictures = index < high ? highPictures : lowPictures
            try receiver.add(ReceiveSettings(jitterBuffer: stream, ssrc: SSRC(0x8000_0000)), sink: pictures.sink())
        }
        // Whoever sends begins when all streams are there.
        print("ready")
        fflush(nil)
        var datagram: [UInt8] = []
        guard try socket.receive(into: &datagram, within: ReceiversWork.patience) != nil else {
            throw Silence()
        }
        receiver.insert(datagram.span)
        try receive(for: ReceiversWork.warmUp, socket, &datagram, receiver)
        let before = [highPictures.counts, lowPictures.counts]
        let packetsBefore = socket.statistics.received
        let taken = try LoadMeter(counter).measure(seconds: seconds) { part in
            try receive(for: part, socket, &datagram, receiver)
        }
        let (highCounts, lowCounts) = (highPictures.counts - before[0], lowPictures.counts - before[1])
        let packets = socket.statistics.received - packetsBefore
        try receiver.stop()
        print(
            "\(taken) high=\(highCounts.shown) low=\(lowCounts.shown) "
                + "late=\(highCounts.late + lowCounts.late) packets=\(packets)")
    }

    private func receive(
        for seconds: Double, _ socket: UDPSocket, _ datagram: inout [UInt8], _ receiver: LiveReceiver
    ) throws {
        let end = receiver.clock.now + MediaDuration.seconds(seconds)
        while receiver.clock.now < end {
            if try socket.receive(into: &datagram, within: .milliseconds(20)) != nil { receiver.insert(datagram.span) }
        }
    }

    private struct Silence: Error, CustomStringConvertible {
        var description: String { "nobody has sent anything for \(ReceiversWork.patience.seconds) s" }
    }
}

/// Counts pictures that were shown, and those that were shown late, on the decoding threads.
private final class PictureTally: Sendable {
    private let clock: LiveClock
    private let shown = Atomic(0)
    private let late = Atomic(0)

    /// A picture that is there a frame's time after its last packet was decoded too late: the threads cannot keep up.
    private static let patience = MediaDuration.microseconds(33_333)

    struct Counts {
        var shown: Int
        var late: Int

        static func - (end: Counts, start: Counts) -> Counts {
            Counts(shown: end.shown - start.shown, late: end.late - start.late)
        }
    }

    init(_ clock: LiveClock) {
        self.clock = clock
    }

    var counts: Counts { Counts(shown: shown.load(ordering: .relaxed), late: late.load(ordering: .relaxed)) }

    func sink() -> FrameTap {
        FrameTap { [self] frame in
            shown.add(1, ordering: .relaxed)
            guard let assembled = frame.stamps[.assembled], clock.now - assembled > PictureTally.patience else {
                return
            }
            late.add(1, ordering: .relaxed)
        }
    }
}
