import RillPacketSupport
import RillRTP
import Testing

@Suite struct FeedbackTests {
    @Test func `A picture loss indication names its sender and the media source`() throws {
        let request = try parsed(RTCPSamples.pictureLossIndication) { packet in
            try PictureLossIndication(parsing: packet)
        }
        #expect(request == PictureLossIndication(sender: SSRC(0xBEEF), media: SSRC(0xCAFE)))
        let bytes = written(request.byteCount) { output in request.write(into: &output) }
        #expect(bytes == RTCPSamples.pictureLossIndication)
    }

    @Test func `A full intra request lists streams and numbers`() throws {
        let entries = try entries(of: RTCPSamples.fullIntraRequest)
        #expect(
            entries == [
                FullIntraRequest.Entry(ssrc: SSRC(0xCAFE), number: 255),
                FullIntraRequest.Entry(ssrc: SSRC(0xF00D), number: 1),
            ])
        let request = FullIntraRequest(sender: SSRC(0xBEEF), entries: WireList(entries.span))
        let bytes = written(request.byteCount) { output in request.write(into: &output) }
        #expect(bytes == RTCPSamples.fullIntraRequest)
    }

    @Test(arguments: [0, 1, 3, 1000])
    func `Full intra requests of any length come back`(count: Int) throws {
        let entries = (0..<count).map { FullIntraRequest.Entry(ssrc: SSRC(UInt32($0)), number: UInt8($0 % 256)) }
        let request = FullIntraRequest(sender: SSRC(9), entries: WireList(entries.span))
        let bytes = written(request.byteCount) { output in request.write(into: &output) }
        #expect(try self.entries(of: bytes) == entries)
    }

    @Test func `Requests cut short throw`() {
        #expect(throws: RTPError.truncated(needed: 8, available: 4)) {
            try parsed([0x81, 206, 0, 1, 0, 0, 0, 1]) { packet in try PictureLossIndication(parsing: packet) }
        }
        #expect(throws: RTPError.truncated(needed: 8, available: 4)) {
            try entries(of: [0x84, 206, 0, 1, 0, 0, 0, 1])
        }
    }

    private func entries(of bytes: [UInt8]) throws -> [FullIntraRequest.Entry] {
        try parsed(bytes) { packet in
            let request = try FullIntraRequest(parsing: packet)
            return request.entries.array
        }
    }
}
