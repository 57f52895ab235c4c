import RillCore
import RillRTP
import RillSession
import Testing

/// A receiver whose thread reads packets late reports when they arrived.
@Suite struct HeldUpReceiverTests {
    /// Packets that wait for the thread.
    private final class Socket {
        var waiting: [(datagram: [UInt8], arrival: MediaTime)] = []
        /// When each packet arrived, in units of 250 µs.
        var arrivals: [SequenceNumber: Int64] = [:]
    }

    /// The thread reads nothing for 100 ms, again and again, while the session is polled by others.
    private func call(keepsArrivals: Bool) throws -> (call: Call, log: PathLog, socket: Socket) {
        let (call, log) = try AdaptiveCall.make(over: "rate=1M,queue=300ms,delay=50ms")
        let socket = Socket()
        call.filter = { [unowned call] datagram, isForBob in
            guard isForBob else { return [datagram] }
            let now = call.now
            if let number = TransportSequenceNumber(id: 4, inRTP: datagram.span)?.number {
                socket.arrivals[number] = now.nanoseconds / 250_000
            }
            socket.waiting.append((datagram, now))
            guard let first = socket.waiting.first, now - first.arrival >= .milliseconds(100) else { return [] }
            for (datagram, arrival) in socket.waiting {
                call.bob.session.insert(datagram.span, at: now, arrival: keepsArrivals ? arrival : now)
            }
            socket.waiting = []
            return []
        }
        call.run(until: .seconds(20))
        return (call, log, socket)
    }

    @Test func `Feedback shows the true spacing of packets`() throws {
        let (call, log, socket) = try call(keepsArrivals: true)
        var reported = 0
        for (datagram, _) in call.bob.feedback {
            var packets = RTCPCompound(datagram.span)
            while let packet = try packets.next() {
                guard case .transportFeedback(let feedback) = try RTCPMessage(parsing: packet) else { continue }
                var statuses = feedback.packets
                while let status = statuses.next() {
                    guard let arrival = status.arrival else { continue }
                    #expect(arrival == socket.arrivals[status.sequenceNumber], "\(status)")
                    reported += 1
                }
            }
        }
        #expect(reported > 1000)
        #expect(log.share(10, 20, of: 1e6) > 0.85)
        // The playout delay is for the network's jitter, not for that of the thread.
        let delay = try #require(call.bob.session.statistics.receiving.first?.stream.targetDelay)
        let (late, _, _) = try self.call(keepsArrivals: false)
        let lateDelay = try #require(late.bob.session.statistics.receiving.first?.stream.targetDelay)
        #expect(delay + .milliseconds(50) < lateDelay, "\(delay), \(lateDelay)")
    }
}
