import RillCore
import RillLink
import RillRTP
import RillReceive
import RillSend
import RillSession
import Testing

@Suite struct TwoWayCallTests {
    /// A call in which each side sends a high and a low stream.
    private func call(over network: String) throws -> (call: Call, high: [ReceivingStreamID]) {
        let (alice, bob) = (Endpoint(seed: 1), Endpoint(seed: 2))
        var high: [ReceivingStreamID] = []
        for (sender, receiver, seed) in [(alice, bob, UInt64(10)), (bob, alice, 20)] {
            let (large, small) = (Call.stream(seed: seed), Call.stream(seed: seed + 1))
            sender.addCamera(try sender.session.send(large))
            sender.addCamera(
                try sender.session.send(small), every: .milliseconds(200), byteCount: 600,
                Resolution(width: 160, height: 120))
            high.append(try receiver.session.receive(Call.receiving(large), at: .zero))
            _ = try receiver.session.receive(Call.receiving(small), at: .zero)
        }
        return (try Call(alice, bob, over: network), high)
    }

    @Test func `Every frame arrives in both directions`() throws {
        let (call, high) = try call(over: "delay=30ms")
        call.run(until: .seconds(10.5))
        for (end, stream) in [(call.bob, high[0]), (call.alice, high[1])] {
            let numbers = zip(end.frames, end.streams).filter { $0.1 == stream }.map(\.0.frame.number)
            #expect(numbers.count >= 310)
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
            #expect(end.frames.count - numbers.count >= 50)
            // Both send, so each measures the round trip by the reports on what it sends.
            let roundTrip = try #require(end.session.statistics.roundTrip.roundTripTime)
            #expect(abs((roundTrip - .milliseconds(60)).nanoseconds) < 2_000_000)
            #expect(end.keyFrameRequests == 0)
        }
    }

    @Test func `Loss is repaired in both directions`() throws {
        let (call, high) = try call(over: "delay=30ms,loss=5%,jitter=5ms")
        call.run(until: .seconds(30.5))
        for (end, stream) in [(call.bob, high[0]), (call.alice, high[1])] {
            let frames = zip(end.frames, end.streams).filter { $0.1 == stream }
            #expect(Double(frames.count) >= 0.97 * 30 * 30.3)
            let statistics = end.session.statistics
            #expect(statistics.receiving[0].repair.retransmittedPacketsReceived > 50)
            #expect(statistics.sending[0].stream.retransmittedPacketsSent > 50)
            // What was lost on the way is what the other side reports.
            #expect(statistics.sending[0].stream.packetsLost ?? 0 > 50)
        }
    }

    @Test func `Events come once and in order`() throws {
        let (call, _) = try call(over: "delay=30ms")
        call.run(until: .seconds(3))
        var kinds: [String] = []
        for event in call.bob.callEvents {
            switch event {
            case .connected: kinds.append("connected")
            case .firstPicture(_, let size, let after):
                kinds.append("first \(size)")
                #expect(after < .milliseconds(400))
            default: kinds.append("\(event)")
            }
        }
        #expect(kinds.first == "connected")
        #expect(Set(kinds) == ["connected", "first 640x480", "first 160x120"] && kinds.count == 3)
    }

    @Test func `Transport numbers rise in the order of leaving`() throws {
        let (alice, bob) = (Endpoint(seed: 1), Endpoint(seed: 2))
        for (index, name) in ["h", "l"].enumerated() {
            let stream = Call.stream(seed: UInt64(30 + index), named: name)
            alice.addCamera(try alice.session.send(stream), byteCount: 2500)
            _ = try bob.session.receive(Call.receiving(stream), at: .zero)
        }
        let call = try Call(alice, bob, over: "loss=3%,delay=10ms")
        var numbers: [UInt16] = []
        call.filter = { datagram, isForBob in
            if isForBob, DatagramKind(of: datagram.span) == .rtp { numbers.append(transportNumber(datagram)) }
            return [datagram]
        }
        call.run(until: .seconds(10))
        // Both streams and their retransmissions count together; 3 % of the numbers never arrived.
        #expect(
            numbers.count > 1500 && call.bob.session.statistics.receiving[0].repair.retransmittedPacketsReceived > 5)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 > $0 })
        let missing = Int(try #require(numbers.last)) + 1 - numbers.count
        #expect((20...90).contains(missing))
    }

    /// The number that the transport counts the packet by; each bears one.
    private func transportNumber(_ datagram: [UInt8]) -> UInt16 {
        do throws(RTPError) {
            var elements = try RTPPacket(parsing: datagram.span).headerExtension?.elements
            while let element = try elements?.next() {
                guard Call.extensions[element.id] == .transportSequenceNumber else { continue }
                return try TransportSequenceNumber(parsing: element.data).number.rawValue
            }
            Issue.record("a packet without a number")
        } catch {
            Issue.record("a packet that was written here cannot be read: \(error)")
        }
        return 0
    }
}
