import Foundation
import Rill
import RillPeer
import RillTestSupport
import RillTransport
import Synchronization
import Testing

/// Strangers at the port of a live call.
@Suite(.serialized) struct WebRTCFloodTests {
    @Test func `Forged requests at the port cost no picture`() async throws {
        let (one, two) = try (WebRTCCallEnd(), WebRTCCallEnd(sends: false))
        let viewer = try two.port.offer(to: "one")
        let peer = try one.port.answer(viewer.localDescription, from: "two")
        try viewer.accept(peer.localDescription)
        try two.show(viewer)
        #expect(try await eventually { (two.counts.values.max() ?? 0) > 30 }, "\(viewer.connectionState)")

        let (rate, duration) = isLongRun ? (50_000, 10) : (5_000, 1)
        let (before, stepsBack) = (two.counts.values.max() ?? 0, two.stepsBack)
        func shown() -> Int { (two.counts.values.max() ?? 0) - before }
        let flood = try Flood(viewer.localDescription, at: two.port.localAddress, perSecond: rate)
        if isLongRun { try await Task.sleep(for: .seconds(duration)) }
        // 30 per second are sent. How many come within a second among other tests depends on these.
        let areShown = try await eventually { shown() > 5 * duration && flood.count >= rate * duration / 2 }
        let (pictures, sent) = (shown(), flood.stop())
        note("\(sent) forged requests, \(pictures) pictures")
        #expect(areShown, "\(sent) sent, \(pictures) shown")
        #expect(!isLongRun || pictures > 29 * duration)
        #expect(viewer.connectionState == .connected && peer.connectionState == .connected)
        #expect(two.stepsBack == stepsBack)
        // And the call goes on.
        let after = two.counts.values.max() ?? 0
        #expect(try await eventually { (two.counts.values.max() ?? 0) > after + 10 })
        await one.call.end()
        await two.call.end()
    }
}

/// Requests with the username of a call's agent and the wrong password, from addresses of strangers.
private final class Flood: Sendable {
    private let requests: [[UInt8]]
    private let sockets: [UDPSocket]
    private let target: UDPAddress
    private let isStopped = Atomic(false)
    private let sent = Atomic(0)

    init(_ description: String, at address: UDPAddress, perSecond rate: Int) throws {
        let prefix = "a=ice-ufrag:"
        let line = try existing(description.split(separator: "\r\n").first { $0.hasPrefix(prefix) })
        let fragment = line.dropFirst(prefix.count)
        let key = STUNIntegrityKey(password: Array("not the password of anyone".utf8))
        requests = (0..<UInt64(64)).map { number in
            [UInt8](capacity: 200) { output in
                let id = STUNTransactionID(high: 3, low: number)
                let writer = STUNMessageWriter(.bindingRequest, id, into: &output)
                writer.append(.username(Array("\(fragment):peer".utf8)), into: &output)
                writer.append(.iceControlling(7), into: &output)
                writer.append(.useCandidate, into: &output)
                writer.append(.priority(1_853_824_767), into: &output)
                writer.finish(key, into: &output)
            }
        }
        sockets = try (0..<64).map { try UDPSocket(boundTo: UDPAddress(.v4(0x7F00_0101 + $0), port: 0)) }
        target = UDPAddress(.loopback, port: address.port)
        Thread.detachNewThread { [self] in
            let begin = ContinuousClock.now
            var batch = OutgoingDatagrams(capacity: 64, datagramByteCount: 200)
            while !isStopped.load(ordering: .relaxed) {
                let elapsed = (ContinuousClock.now - begin) / .seconds(1)
                let due = Int(elapsed * Double(rate)) - sent.load(ordering: .relaxed)
                for socket in sockets.prefix(due / requests.count) {
                    batch.removeAll()
                    for request in requests {
                        batch.append(to: target) { output in for byte in request { output.append(byte) } }
                    }
                    _ = socket.send(&batch)
                    sent.add(requests.count, ordering: .relaxed)
                }
                usleep(1000)
            }
        }
    }

    /// How many were sent.
    var count: Int { sent.load(ordering: .relaxed) }

    /// Ends it, and returns how many were sent.
    func stop() -> Int {
        isStopped.store(true, ordering: .relaxed)
        return count
    }
}
