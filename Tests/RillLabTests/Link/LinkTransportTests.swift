import RillCore
import RillLink
import RillTestSupport
import RillThreads
import RillTransport
import Testing

@testable import RillLab

/// An emulated network in real time, as the transport of two calls.
@Suite struct LinkTransportTests {
    private func send(_ bytes: [[UInt8]], from end: LinkTransport) {
        var datagrams = OutgoingDatagrams()
        for bytes in bytes { datagrams.append(to: nil) { $0.append(copying: bytes.span) } }
        #expect(end.send(&datagrams) == .sent && datagrams.isEmpty)
    }

    @Test func `Datagrams arrive after the link's delay, at the other end`() throws {
        let clock = LiveClock()
        let (sent, arrived) = (Monitor(0), Monitor([Bool]()))
        let (near, far) = LinkTransport.pair(
            try LinkSettings(notation: "delay=20ms"), back: try LinkSettings(notation: "delay=5ms"), clock: clock
        ) { _, _, _ in
            sent.withLock { $0 += 1 }
        } arrived: { _, _, isForward in
            arrived.withLock { $0.append(isForward) }
        }
        let start = clock.now
        send([[1, 2, 3], [4]], from: near)
        #expect(!far.isIdle && near.isIdle && sent.withLock { $0 } == 2)
        var datagrams = IncomingDatagrams()
        var found: [[UInt8]] = []
        while found.count < 2, case .received = far.receive(into: &datagrams, within: .seconds(20)) {
            for index in datagrams.indices {
                found.append(datagrams.bytes(at: index).array)
                #expect(datagrams.source(at: index) == near.localAddress)
            }
        }
        #expect(found == [[1, 2, 3], [4]] && clock.now - start >= .milliseconds(20))
        // What was taken may still be in use until more is asked for.
        #expect(!far.isIdle)
        #expect(far.receive(into: &datagrams, within: .milliseconds(1)) == .nothing && far.isIdle)
        send([[5]], from: far)
        #expect(near.receive(into: &datagrams, within: .seconds(20)) == .received(1))
        #expect(arrived.withLock { $0 } == [true, true, false] && sent.withLock { $0 } == 2)
        #expect(far.statistics.received == 2 && far.statistics.receivedBytes == 4 && far.statistics.sent == 1)
    }

    @Test func `A closed end waits no longer`() throws {
        let (near, far) = LinkTransport.pair(.clean, back: .clean, clock: LiveClock(), sent: nil) { _, _, _ in }
        let outcomes = Monitor([ReceiveOutcome]())
        let reader = try NamedThread("reader") {
            var datagrams = IncomingDatagrams()
            outcomes.withLock { $0.append(far.receive(into: &datagrams, within: .seconds(600))) }
        }
        far.close()
        reader.join()
        #expect(outcomes.withLock { $0 } == [.closed])
        // The other end may still send: nobody reads it.
        send([[1]], from: near)
    }
}
