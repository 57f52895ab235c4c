import RillPacketSupport
import RillRTP
import Testing

@Suite struct GoodbyeTests {
    @Test func `A reason for leaving is optional`() throws {
        let goodbye = try goodbye(of: RTCPSamples.goodbye)
        #expect(goodbye.sources == [SSRC(0xCAFE), SSRC(0xBEEF)])
        #expect(goodbye.reason == Array("camera".utf8))
        for count in 0...31 {
            for reason in [nil, [], Array("1234".utf8), [UInt8](repeating: 1, count: 255)] as [[UInt8]?] {
                let sources = (0..<count).map { SSRC(UInt32($0)) }
                let text = reason ?? []
                let goodbye = Goodbye(
                    sources: WireList(sources.span), reason: reason == nil ? nil : text.span)
                let bytes = written(goodbye.byteCount) { output in goodbye.write(into: &output) }
                let back = try self.goodbye(of: bytes)
                #expect(back.sources == sources && back.reason == reason, "\(count) sources")
            }
        }
    }

    @Test func `A goodbye cut short throws`() {
        #expect(throws: RTPError.invalidCount(count: 2, byteCount: 4)) {
            try goodbye(of: [0x82, 203, 0, 1, 0, 0, 0, 1])
        }
        #expect(throws: RTPError.truncated(needed: 9, available: 8)) {
            try goodbye(of: [0x81, 203, 0, 2, 0, 0, 0, 1, 4, 0, 0, 0])
        }
    }

    private func goodbye(of bytes: [UInt8]) throws -> (sources: [SSRC], reason: [UInt8]?) {
        try parsed(bytes) { packet in
            let goodbye = try Goodbye(parsing: packet)
            return (goodbye.sources.array, goodbye.reason?.array)
        }
    }
}
