import Foundation
import RillCore
import RillRTP
import RillSend
import RillTestSupport
import Testing

@Suite struct FeedbackTests {
    private struct Arrival {
        var bytes: [UInt8]
        var milliseconds: Int
    }

    private func feedback(
        _ arrivals: [Arrival], settings: RTPStreamSettings = sampleSettings()
    ) throws -> (feedback: [StreamFeedback], statistics: RTPStreamStatistics) {
        var sender = try RTPStreamSender(settings)
        var heard: [StreamFeedback] = []
        for arrival in arrivals {
            sender.receive(arrival.bytes.span, at: .zero + .milliseconds(arrival.milliseconds)) { heard.append($0) }
        }
        return (heard, sender.statistics)
    }

    @Test func `A picture loss indication requests one key frame, its copies none`() throws {
        let request = pictureLossIndication()
        let result = try feedback([
            Arrival(bytes: request, milliseconds: 0), Arrival(bytes: request + request, milliseconds: 30),
            Arrival(bytes: request, milliseconds: 300),
        ])
        #expect(
            result.feedback == [
                .keyFrameRequested, .keyFrameRequestRepeated, .keyFrameRequestRepeated, .keyFrameRequested,
            ])
        #expect(result.statistics.pliCount == 4 && result.statistics.firCount == 0)
        #expect(result.statistics.keyFrameRequestsHonored == 2)
    }

    @Test func `The window is a setting`() throws {
        var settings = sampleSettings()
        settings.keyFrameRequestWindow = .milliseconds(20)
        let request = pictureLossIndication()
        let result = try feedback(
            [0, 19, 20, 39, 40].map { Arrival(bytes: request, milliseconds: $0) }, settings: settings)
        #expect(result.statistics.keyFrameRequestsHonored == 3)
    }

    @Test func `A full intra request is distinguished from its repetitions by its number, however late`() throws {
        let result = try feedback([
            Arrival(bytes: fullIntraRequest(7), milliseconds: 0),
            Arrival(bytes: fullIntraRequest(7), milliseconds: 5000),
            Arrival(bytes: fullIntraRequest(8), milliseconds: 6000),
            Arrival(bytes: fullIntraRequest(8, from: SSRC(1)), milliseconds: 7000),
        ])
        #expect(
            result.feedback == [
                .keyFrameRequested, .keyFrameRequestRepeated, .keyFrameRequested, .keyFrameRequested,
            ])
        #expect(result.statistics.firCount == 4 && result.statistics.pliCount == 0)
    }

    @Test func `A command that fell into another's window counts when it is repeated`() throws {
        let result = try feedback([
            Arrival(bytes: pictureLossIndication(), milliseconds: 0),
            Arrival(bytes: fullIntraRequest(7), milliseconds: 100),
            Arrival(bytes: fullIntraRequest(7), milliseconds: 400),
            Arrival(bytes: fullIntraRequest(7), milliseconds: 800),
        ])
        #expect(
            result.feedback == [
                .keyFrameRequested, .keyFrameRequestRepeated, .keyFrameRequested, .keyFrameRequestRepeated,
            ])
    }

    @Test func `What concerns other streams is passed over`() throws {
        let other = SSRC(0xF00D)
        let block = ReportBlock(ssrc: other, extendedHighestSequenceNumber: 1)
        let result = try feedback([
            Arrival(bytes: pictureLossIndication(for: other), milliseconds: 0),
            Arrival(bytes: fullIntraRequest(1, for: other), milliseconds: 0),
            Arrival(bytes: receiverReport(block), milliseconds: 0),
        ])
        #expect(result.feedback.isEmpty)
        #expect(result.statistics == RTPStreamStatistics())
    }

    // MARK: Reports

    @Test func `The round-trip time comes out as in RFC 3550 figure 2`() throws {
        // The sender's clock stands at b44d:b705.20000000 at time zero; the block comes back 11.375 s later.
        var settings = sampleSettings()
        settings.wallClockAtZero = NTPTimestamp(seconds: 0xB44D_B705, fraction: 0x2000_0000)
        let block = ReportBlock(
            ssrc: sampleSSRC, fractionLost: 64, cumulativeLost: 10, extendedHighestSequenceNumber: 0x0001_0005,
            jitter: 90, lastSenderReport: settings.wallClockAtZero.short,
            delaySinceLastSenderReport: NTPShort(nanoseconds: 5_250_000_000))
        let result = try feedback([Arrival(bytes: receiverReport(block), milliseconds: 11_375)], settings: settings)
        guard case .reported(let report)? = result.feedback.first else {
            Issue.record("no report in \(result.feedback)")
            return
        }
        #expect(report.roundTripTime == .milliseconds(6125))
        #expect(report.reporter == receiverSSRC)
        #expect(report.fractionLost == 0.25 && report.packetsLost == 10)
        #expect(report.jitter == .milliseconds(1))
        #expect(report.highestSequenceNumber == SequenceNumber(5))
        #expect("\(report)".hasPrefix("reporter \(receiverSSRC), fractionLost 0.25, packetsLost 10, jitter 1ms, "))
        #expect(try JSONDecoder().decode(ReceptionReport.self, from: JSONEncoder().encode(report)) == report)
        #expect(result.statistics.roundTripTime == .milliseconds(6125))
        #expect(result.statistics.packetsLost == 10 && result.statistics.fractionLost == 0.25)
        #expect(result.statistics.jitter == .milliseconds(1))
    }

    @Test func `Round-trip times are counted and added up`() throws {
        let settings = sampleSettings()
        var block = ReportBlock(
            ssrc: sampleSSRC, extendedHighestSequenceNumber: 0, lastSenderReport: settings.wallClockAtZero.short)
        let first = receiverReport(block)
        block.lastSenderReport = nil
        let result = try feedback([
            Arrival(bytes: first, milliseconds: 250), Arrival(bytes: receiverReport(block), milliseconds: 300),
            Arrival(bytes: first, milliseconds: 500),
        ])
        #expect(result.feedback.count == 3)
        #expect(result.statistics.roundTripTimeMeasurements == 2)
        #expect(result.statistics.totalRoundTripTime == .milliseconds(750))
        #expect(result.statistics.roundTripTime == .milliseconds(500))
    }

    @Test func `A report inside a sender report counts as well`() throws {
        let block = ReportBlock(ssrc: sampleSSRC, cumulativeLost: 3, extendedHighestSequenceNumber: 0)
        let blocks = [block]
        let bytes = written { output in
            SenderReport(
                ssrc: receiverSSRC, ntpTimestamp: .unixEpoch, rtpTimestamp: RTPTimestamp(0), packetCount: 0,
                octetCount: 0, blocks: WireList(blocks.span)
            ).write(into: &output)
        }
        #expect(try feedback([Arrival(bytes: bytes, milliseconds: 0)]).statistics.packetsLost == 3)
    }

    // MARK: Damage

    @Test func `A malformed packet is counted and the following packets are handled`() throws {
        let broken: [UInt8] = [0x81, 201, 0, 1, 0, 0, 0, 1]
        let foreign: [UInt8] = [0x83, 204, 0, 2, 0, 0, 0, 1, 0x72, 0x69, 0x6C, 0x6C]
        let result = try feedback([
            Arrival(bytes: broken + foreign + pictureLossIndication() + [0xFF], milliseconds: 0)
        ])
        #expect(
            result.feedback == [
                .malformed(.invalidCount(count: 1, byteCount: 0)), .keyFrameRequested,
                .malformed(.unsupportedVersion(3)),
            ])
        #expect(result.statistics.malformedFeedback == 2)
        #expect(result.statistics.keyFrameRequestsHonored == 1)
    }

    @Test func `An empty datagram is not feedback`() throws {
        #expect(try feedback([Arrival(bytes: [], milliseconds: 0)]).feedback.isEmpty)
    }

    @Test func `No bytes crash the sender, and all results are counted`() throws {
        let block = ReportBlock(
            ssrc: sampleSSRC, extendedHighestSequenceNumber: 9, lastSenderReport: NTPTimestamp.unixEpoch.short)
        let seeds = [
            receiverReport(block) + pictureLossIndication() + fullIntraRequest(1), pictureLossIndication(),
            fullIntraRequest(200), receiverReport(block),
            [UInt8](capacity: 20) { output in
                let lost = [SequenceNumber(0), SequenceNumber(1), SequenceNumber(17)]
                GenericNACK.write(lost: lost.span, of: sampleSSRC, from: SSRC(9), into: &output)
            },
        ]
        var settings = sampleSettings()
        // Reports tell all kinds of round trips here; copies are counted elsewhere.
        settings.longRoundTripTime = .seconds(1_000_000)
        var sender = try RTPStreamSender(settings)
        let sink = CountingSink()
        sender.send(.sample(0), payload: [UInt8](repeating: 1, count: 3000).span, at: .zero, to: sink)
        let sentFirst = sink.count
        var (requested, repeated, reported, malformed, nacks, retransmitted) = (0, 0, 0, 0, 0, 0)
        let inputs = MutatedInputs(of: seeds, count: 100_000, using: SeededGenerator(seed: 12))
        for (index, input) in inputs.enumerated() {
            sender.receive(input.span, at: .zero + .milliseconds(10 * index), retransmittingTo: sink) { feedback in
                switch feedback {
                case .packetsRequested(_, retransmitted: let count):
                    nacks += 1
                    retransmitted += count
                case .keyFrameRequested: requested += 1
                case .keyFrameRequestRepeated: repeated += 1
                case .reported: reported += 1
                case .malformed: malformed += 1
                }
            }
        }
        #expect(requested == sender.statistics.keyFrameRequestsHonored)
        #expect(requested + repeated == sender.statistics.pliCount + sender.statistics.firCount)
        #expect(malformed == sender.statistics.malformedFeedback)
        #expect(nacks == sender.statistics.nackCount && retransmitted == sender.statistics.retransmittedPacketsSent)
        #expect(sink.count == sentFirst + retransmitted)
        #expect(requested > 1000 && repeated > 1000 && reported > 1000 && malformed > 1000)
        #expect(nacks > 1000 && retransmitted > 1000)
        // Within a thousand seconds there is room for 5000 windows.
        #expect(requested <= 5001)
    }
}

private final class CountingSink: PacketSink {
    private(set) var count = 0

    func send(_ packet: Span<UInt8>, at time: MediaTime) { count += 1 }
}
