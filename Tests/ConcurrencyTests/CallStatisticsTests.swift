import Rill
import RillCore
import RillTransport
import Testing

/// What a call's statistics show while it ends.
@Suite struct CallStatisticsTests {
    /// Reads the statistics when it is finished, which is while the participants leave.
    private final class LateReader: FrameSink, Sendable {
        private let call: VideoCall
        private let counts: Monitor<[Int]>

        init(_ call: VideoCall, _ counts: Monitor<[Int]>) { (self.call, self.counts) = (call, counts) }

        func consume(_ frame: VideoFrame) {}

        func finish() {
            let count = call.statistics.participants.count
            counts.withLock { $0.append(count) }
        }
    }

    @Test func `Statistics that are read while a call ends have its participants`() async throws {
        let call = try VideoCall(source: nil)
        let counts = Monitor([Int]())
        for port: UInt16 in [9, 11] {
            let socket = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
            let participant = try call.connect(to: UDPAddress(.loopback, port: port), over: socket, key: nil)
            try participant.show(.high, on: LateReader(call, counts))
            try participant.show(.low, on: LateReader(call, counts))
        }
        await call.end()
        #expect(counts.withLock { $0 } == [2, 2, 2, 2])
        #expect(call.statistics.participants.count == 2)
    }

    /// A participant may be left at any moment of their service by the decoding thread.
    @Test func `Every sink is finished when a call has ended`() async throws {
        for round in 0..<200 {
            let call = try VideoCall(source: nil)
            let counts = Monitor([Int]())
            let socket = try UDPSocket(boundTo: UDPAddress(.loopback, port: 0))
            let participant = try call.connect(to: UDPAddress(.loopback, port: 9), over: socket, key: nil)
            try participant.show(.high, on: LateReader(call, counts))
            try participant.show(.low, on: LateReader(call, counts))
            await call.end()
            #expect(counts.withLock { $0.count } == 2, "round \(round)")
        }
    }
}
