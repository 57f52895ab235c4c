import Foundation
import RillCore
import Testing

@testable import Rill
@testable import RillCLI
@testable import RillSession

/// The log of a call, in virtual time.
@Suite struct CallLogTests {
    /// The statistics after `seconds` of a call that sends 1 Mbit/s.
    private func statistics(_ seconds: Double) -> CallStatistics {
        var transport = TransportCounts()
        transport.packetsSent = Int(seconds * 100)
        transport.bytesSent = Int(seconds * 125_000)
        var statistics = CallStatistics(time: .zero + .seconds(seconds))
        statistics.participants = [
            CallStatistics.Participant(
                name: "them", session: SessionStatistics(transport: transport, roundTrip: RoundTripStatistics()))
        ]
        return statistics
    }

    private func log(_ hours: Double) -> CallLog {
        var log = CallLog(.both, layers: ["high", "low"])
        for step in 0...Int(hours * 7200) {
            let time = Double(step) / 2
            log.add(statistics(time))
            if step % 2 == 0 { log.note("they left, and joined again after a moment \(step)", at: time) }
        }
        return log
    }

    @Test func `Two days of a call are less than a megabyte, and lack no second`() throws {
        let log = log(48)
        let summary = log.summary
        let encoded = try JSONEncoder().encode(summary)
        print("48 h: \(summary.samples.count) samples, \(summary.events.count) events, \(encoded.count) bytes of JSON")
        #expect(encoded.count < 1_000_000)
        // In memory a sample has three arrays of two numbers, of 48 bytes each.
        let bytes = summary.samples.count * (MemoryLayout<CallLog.Sample>.stride + 3 * 48) + summary.events.count * 128
        #expect(bytes < 1_000_000, "\(bytes)")
        var end = 0.0
        for sample in summary.samples {
            #expect(abs(sample.time - sample.length - end) < 1e-6)
            end = sample.time
        }
        #expect(end == 48 * 3600)
        // The newest are still of half a second, the oldest of a few minutes.
        #expect(summary.samples.suffix(20).allSatisfy { $0.length == 0.5 })
        #expect(summary.samples.map(\.length).max() ?? 0 < 1000)
        #expect(summary.samples.allSatisfy { abs($0.sent - 1000) < 1 })
        #expect(summary.events.first?.time == 0 && summary.events.last?.time == 48 * 3600)
        #expect(summary.events.contains { $0.text.hasSuffix("events before this are left out") })
    }

    @Test func `A call of ten minutes has each sample and each event`() {
        let summary = log(1 / 6).summary
        #expect(summary.samples.count == 1200 && summary.samples.allSatisfy { $0.length == 0.5 })
        #expect(summary.events.count == 601)
    }

    @Test func `Joined samples keep what was counted, and the means`() {
        func sample(_ time: Double, _ length: Double, _ value: Double, _ trip: Double?) -> CallLog.Sample {
            CallLog.Sample(
                time: time, length: length, sent: value, received: value, framesEncoded: [value, 0],
                framesShown: [0, value], lost: 0, roundTripTime: trip, retransmitted: Int(value), freezes: 1,
                targets: [], cuts: 0, probes: 2)
        }
        let joined = sample(2, 2, 100, nil).joined(with: sample(3, 1, 400, 20))
        #expect(joined.time == 3 && joined.length == 3 && joined.sent == 200 && joined.framesEncoded == [200, 0])
        #expect(joined.framesShown == [0, 200] && joined.roundTripTime == 20 && joined.playoutDelay == nil)
        #expect(joined.retransmitted == 500 && joined.freezes == 2 && joined.probes == 4)
    }
}
