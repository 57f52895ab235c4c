import Rill
import RillCore
import RillLab
import RillLink
import Testing

@Suite struct VirtualLinkTests {
    private struct Entry: Equatable {
        var bytes: [UInt8]
        var time: MediaTime
        var outcome: SendOutcome
    }

    @Test func `The log has the sending time, size and outcome of each datagram`() throws {
        let settings = try LinkSettings(notation: "loss=20%,delay=30ms,jitter=5ms,rate=500k,queue=50ms,seed=4")
        let link = VirtualLink(settings)
        var log: [Entry] = []
        var arrived: [MediaTime: [UInt8]] = [:]
        link.observe { datagram, now, outcome in
            log.append(Entry(bytes: datagram.indices.map { datagram[$0] }, time: now, outcome: outcome))
        }
        link.connect { datagram, now in arrived[now, default: []].append(datagram[0]) }
        for number in 0..<UInt8(200) {
            link.send(
                [UInt8](repeating: number, count: 100 + Int(number)).span, at: .zero + .milliseconds(2) * Int(number))
        }
        link.wake(at: .distantFuture)

        #expect(log.map(\.bytes) == (0..<200).map { [UInt8](repeating: UInt8($0), count: 100 + $0) })
        #expect(log.map(\.time) == (0..<200).map { .zero + .milliseconds(2) * $0 })
        var promised: [MediaTime: [UInt8]] = [:]
        for entry in log {
            guard case .queued(let arrival, _, _) = entry.outcome else { continue }
            promised[arrival, default: []].append(entry.bytes[0])
        }
        #expect(promised == arrived)
        let statistics = link.link.statistics
        #expect(log.count { $0.outcome == .lost(.random) } == statistics.lostRandomly && statistics.lostRandomly > 5)
        let dropped = log.count { if case .lost(.queueFull) = $0.outcome { true } else { false } }
        #expect(dropped == statistics.droppedByQueue && dropped > 5)
    }
}
