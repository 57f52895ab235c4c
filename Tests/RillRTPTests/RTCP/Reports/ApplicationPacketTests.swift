import RillCore
import RillPacketSupport
import RillRTP
import RillTestSupport
import Testing

@Suite struct ApplicationPacketTests {
    @Test func `A packet has the values of its bytes`() throws {
        try parsed(RTCPSamples.application) { packet in
            let application = try ApplicationPacket(parsing: packet)
            let data = application.data.array
            #expect(application.subtype == 3 && application.ssrc == SSRC(0xBEEF))
            #expect(application.name == 0x7269_6C6C && data == [1, 2, 3, 4])
            #expect(
                written(application.byteCount) { output in application.write(into: &output) }
                    == RTCPSamples.application)
        }
    }

    @Test(arguments: 0...31 as ClosedRange<UInt8>)
    func `Any subtype and data come back`(subtype: UInt8) throws {
        var random = SeededGenerator(seed: UInt64(subtype))
        let bytes = random.bytes(4 * Int(subtype))
        let packet = ApplicationPacket(subtype: subtype, ssrc: SSRC(1), name: .max, data: bytes.span)
        let back = try parsed(written(packet.byteCount) { output in packet.write(into: &output) }) { packet in
            let back = try ApplicationPacket(parsing: packet)
            return (back.subtype, back.name, back.data.array)
        }
        #expect(back == (subtype, .max, bytes))
    }

    @Test func `A packet without a name throws`() {
        #expect(throws: RTPError.truncated(needed: 8, available: 4)) {
            try parsed([0x80, 204, 0, 1, 0, 0, 0, 1]) { packet in _ = try ApplicationPacket(parsing: packet) }
        }
    }
}
