import RillCore
import RillPacketSupport
import RillRTP
import Testing

@Suite struct ReceiverEstimatedMaximumBitrateTests {
    @Test func `An estimate has the values of its bytes`() throws {
        try parsed(RTCPSamples.estimate) { packet in
            let estimate = try ReceiverEstimatedMaximumBitrate(parsing: packet)
            let streams = estimate.ssrcs.array
            #expect(estimate.sender == SSRC(0xBEEF) && estimate.bitrate == 1_500_000)
            #expect(streams == [SSRC(0xCAFE), SSRC(0xF00D)])
            #expect(written(estimate.byteCount) { output in estimate.write(into: &output) } == RTCPSamples.estimate)
        }
    }

    @Test func `Eighteen bits of any bitrate come back`() throws {
        var random = SeededGenerator(seed: 51)
        let extremes: [UInt64] = [0, 1, 262_143, 262_144, 262_145, .max, .max << 46, 1 << 63]
        for bitrate in extremes + (0..<2000).map({ random.next() >> UInt64($0 % 64) }) {
            let streams = (0..<UInt32.random(in: 0...255, using: &random)).map(SSRC.init(rawValue:))
            let estimate = ReceiverEstimatedMaximumBitrate(
                sender: SSRC(1), bitrate: bitrate, ssrcs: WireList(streams.span))
            let bytes = written(estimate.byteCount) { output in estimate.write(into: &output) }
            let shift = UInt64(max(0, 64 - bitrate.leadingZeroBitCount - 18))
            try parsed(bytes) { packet in
                let back = try ReceiverEstimatedMaximumBitrate(parsing: packet)
                let backStreams = back.ssrcs.array
                #expect(back.bitrate == (bitrate >> shift) << shift, "\(bitrate)")
                #expect(backStreams == streams, "\(bitrate)")
            }
        }
    }

    @Test func `A bitrate beyond 64 bits, other feedback and a short list throw`() {
        func error(_ change: (inout [UInt8]) -> Void) -> RTPError? {
            var bytes = RTCPSamples.estimate
            change(&bytes)
            do {
                try parsed(bytes) { packet in _ = try ReceiverEstimatedMaximumBitrate(parsing: packet) }
            } catch { return error as? RTPError }
            return nil
        }
        // Exponent 47 with a mantissa of 18 bits.
        #expect(error { $0[17] = 0xBE } == .invalidBitrate(mantissa: 0x2DC6C, exponent: 47))
        #expect(error { $0[17] = 0xBA } == nil)
        #expect(error { $0[12] = 0x51 } == .unexpectedPacketType(206))
        #expect(error { $0[16] = 3 } == .invalidCount(count: 3, byteCount: 8))
    }
}
