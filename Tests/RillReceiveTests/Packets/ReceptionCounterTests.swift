import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import Testing

/// The numbers of receiver reports, and of statistics that RFC 3550 defines.
@Suite struct ReceptionCounterTests {
    private var stream = SyntheticStream()
    private let receiver = VirtualReceiver()

    @Test mutating func `Loss is expected less received`() throws {
        #expect(receiver.reportBlock(at: .zero) == nil)
        stream.sequence = SequenceNumber(65_530)
        for index in 0..<20 {
            let frame = stream.frame(isKey: index == 0)
            if ![5, 6, 7, 8, 9].contains(index) { receiver.insert(frame, at: .frame(index)) }
        }
        let first = try #require(receiver.reportBlock(at: .seconds(1)))
        #expect(first.ssrc == stream.ssrc)
        #expect(first.cumulativeLost == 5 && first.fractionLost == 64)
        #expect(first.extendedHighestSequenceNumber == 65_530 + 19)
        #expect(first.lastSenderReport == nil && first.delaySinceLastSenderReport == .zero)

        // Nothing lost since, and five duplicates.
        for index in 20..<30 {
            let frame = stream.frame()
            receiver.insert(frame, at: .frame(index))
            if index >= 25 { receiver.insert(frame, at: .frame(index)) }
        }
        let second = try #require(receiver.reportBlock(at: .seconds(2)))
        #expect(second.fractionLost == 0 && second.cumulativeLost == 0)
        #expect(receiver.statistics.packetsReceived == 30 && receiver.statistics.packetsLost == 0)
    }

    @Test mutating func `Bytes are counted by part`() {
        let frame = stream.frame(isKey: true, packets: 2)
        receiver.insert(frame, at: .zero)
        let padding = stream.padding()
        receiver.insert(padding, at: .zero)
        // Four bytes of descriptor a packet: flags, X, and a picture ID of two.
        #expect(receiver.statistics.bytesReceived == frame.bytes.count + 2 * 4)
        #expect(receiver.statistics.headerBytesReceived == 3 * 12 + 200)
    }

    @Test mutating func `Jitter follows RFC 3550`() throws {
        receiver.insert(stream.frame(isKey: true), at: .frame(0))
        receiver.insert(stream.frame(), at: .frame(1) + .milliseconds(16))
        #expect(abs((receiver.statistics.jitter - .milliseconds(1)).nanoseconds) < 1000)
        receiver.insert(stream.frame(), at: .frame(2))
        // |0 - 16 ms| counts like 16 ms: 1 + (16 - 1) / 16.
        #expect(abs((receiver.statistics.jitter - .microseconds(1937)).nanoseconds) < 2000)
        let block = try #require(receiver.reportBlock(at: .seconds(1)))
        #expect(block.jitter == 174)
    }

    @Test mutating func `The sender report is echoed`() throws {
        receiver.insert(stream.frame(isKey: true), at: .zero)
        noteReport(of: SSRC(0xBEEF), at: .seconds(1))
        #expect(receiver.reportBlock(at: .seconds(1))?.lastSenderReport == nil)
        noteReport(of: stream.ssrc, at: .seconds(2))
        let block = try #require(receiver.reportBlock(at: .seconds(3.5)))
        #expect(block.lastSenderReport?.rawValue == 0x5678_9ABC)
        #expect(block.delaySinceLastSenderReport.rawValue == 65536 * 3 / 2)
    }

    private mutating func noteReport(of ssrc: SSRC, at now: MediaTime) {
        let report = SenderReport(
            ssrc: ssrc, ntpTimestamp: NTPTimestamp(seconds: 0x1234_5678, fraction: 0x9ABC_DEF0),
            rtpTimestamp: RTPTimestamp(0), packetCount: 0, octetCount: 0)
        receiver.buffer.noteSenderReport(report, at: now)
    }
}
