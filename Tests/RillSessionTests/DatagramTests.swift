import RillCore
import RillRTP
import RillSend
import RillSession
import Testing

/// What waits to be sent.
@Suite struct DatagramTests {
    private final class Log: PacketSink {
        var packets: [[UInt8]] = []
        func send(_ packet: Span<UInt8>, at time: MediaTime) { packets.append(packet.array) }
    }

    /// A session with a stream, whose transport counts packets where it is told to.
    private func sending(isNumbered: Bool) throws -> (session: RTPSession, stream: SendingStreamID) {
        var settings = RTPSessionSettings(seed: 3)
        settings.announcesItself = false
        let session = RTPSession(settings)
        var stream = Call.stream(seed: 7)
        if isNumbered { try stream.headerExtensions.set(.transportSequenceNumber, id: 5) }
        return (session, try session.send(stream))
    }

    private func send(_ byteCount: Int, on session: RTPSession, _ stream: SendingStreamID, number: Int64) {
        let payload = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: byteCount)
        let now = FrameRate(30).time(ofFrame: Int(number))
        let frame = EncodedFrame(
            codec: .vp8, layer: StreamLayer(rid: .high), number: number,
            references: number == 0 ? FrameReferences() : FrameReferences(number - 1), isKey: number == 0,
            resolution: .hd720, captureTime: now, byteCount: byteCount)
        session.send(frame, payload: payload.span, of: stream, at: now)
    }

    @Test(arguments: [false, true])
    func `Datagrams are the same whichever way they are taken`(isNumbered: Bool) throws {
        var taken: [[[UInt8]]] = []
        for way in 0..<3 {
            let (session, stream) = try sending(isNumbered: isNumbered)
            var datagrams: [[UInt8]] = []
            let log = Log()
            var bytes: [UInt8] = []
            for number in 0..<40 {
                // From a few bytes to more than the memory that is there at first.
                send(10 + number * 1300, on: session, stream, number: Int64(number))
                switch way {
                case 0:
                    while case .transmit = session.poll(at: FrameRate(30).time(ofFrame: number), into: &bytes) {
                        datagrams.append(bytes)
                    }
                case 1: session.transmit(to: log)
                default: session.transmit { _, datagram in datagrams.append(datagram.span.array) }
                }
            }
            taken.append(way == 1 ? log.packets : datagrams)
        }
        // Reports leave by polling alone.
        let media = taken.map { $0.filter { PacketKind(of: $0.span) == .rtp } }
        #expect(media[0].count > 700)
        #expect(media[0] == media[1] && media[0] == media[2])
    }

    @Test func `Each datagram has spare capacity, and writing there affects no other`() throws {
        let (session, stream) = try sending(isNumbered: false)
        send(30_000, on: session, stream, number: 0)
        var datagrams: [[UInt8]] = []
        session.transmit { packet, datagram in
            #expect(datagram.count == packet.byteCount && datagram.freeCapacity == RTPSession.tailroom)
            for _ in 0..<RTPSession.tailroom { datagram.append(0xEE) }
            datagrams.append(datagram.span.array)
        }
        let (other, same) = try sending(isNumbered: false)
        send(30_000, on: other, same, number: 0)
        let plain = Log()
        other.transmit(to: plain)
        #expect(plain.packets.count > 25)
        #expect(datagrams == plain.packets.map { $0 + [UInt8](repeating: 0xEE, count: RTPSession.tailroom) })
    }

    @Test func `A queue that is changed while it delivers ends the program`() async {
        await #expect(processExitsWith: .failure) {
            let queue = DatagramQueue()
            queue.send([UInt8](repeating: 1, count: 20).span, at: .zero)
            queue.deliver { _, time, datagram in queue.send(datagram.span, at: time) }
        }
        await #expect(processExitsWith: .success) {
            let (queue, other) = (DatagramQueue(), DatagramQueue())
            queue.send([UInt8](repeating: 1, count: 20).span, at: .zero)
            queue.deliver { _, time, datagram in other.send(datagram.span, at: time) }
            precondition(queue.isEmpty && !other.isEmpty)
        }
    }

    @Test func `Packets that a sink sends leave after the packet it was called with`() throws {
        let (session, stream) = try sending(isNumbered: true)
        let log = Log()
        var isFirst = true
        send(5000, on: session, stream, number: 0)
        session.transmit { _, datagram in
            log.send(datagram.span, at: .zero)
            // The first sends another frame.
            if isFirst { send(5000, on: session, stream, number: 1) }
            isFirst = false
        }
        let before = log.packets.count
        session.transmit(to: log)
        let numbers = try log.packets.map { try RTPHeader(parsing: $0.span).sequenceNumber.rawValue }
        #expect(before > 3 && log.packets.count == 2 * before)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 &+ 1 })
    }
}
