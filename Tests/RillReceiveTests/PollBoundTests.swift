import RillCore
import RillPacketSupport
import RillReceive
import Testing

/// A jitter buffer whose steps lead to nothing gives up, and does not poll itself for ever.
@Suite struct PollBoundTests {
    @Test func `A buffer whose steps lead to nothing returns, and nothing more`() {
        var settings = JitterBufferSettings(ssrc: SSRC(0xCAFE), payloadType: PayloadType(96))
        settings.packetCapacity = 64
        var buffer = JitterBuffer(settings)
        var stream = SyntheticStream()
        var bytes: [UInt8] = []
        buffer.stall()
        for frame in stream.frames(3, packets: 2) {
            for packet in frame.packets { _ = buffer.insert(packet.span, at: .zero) }
            let result = buffer.poll(at: .zero + .seconds(1), into: &bytes)
            guard case .wait(until: .distantFuture) = result else {
                Issue.record("\(result)")
                return
            }
        }
        let count = buffer.pollsWithoutProgress
        #expect(count >= PollBound.limit && count < 10 * PollBound.limit)
    }
}
