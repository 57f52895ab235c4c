import RillTestSupport
import Testing

@testable import RillFiles

@Suite struct WebPPictureTests {
    @Test(arguments: [0, 1, 2, 3, 1000, 1001])
    func `The sizes in the header are those of the file and the frame, and the file has an even length`(count: Int) {
        let frame = [UInt8](repeating: 7, count: count)
        let file = WebPPicture.bytes(ofKeyFrame: frame.span)
        #expect(file.count % 2 == 0)
        #expect(file.prefix(4).elementsEqual("RIFF".utf8) && file[8..<16].elementsEqual("WEBPVP8 ".utf8))
        #expect(file.span.littleEndian(UInt32.self, at: 4) == UInt32(file.count - 8))
        #expect(file.span.littleEndian(UInt32.self, at: 16) == UInt32(count))
        #expect(file.dropFirst(WebPPicture.headerByteCount).prefix(count).elementsEqual(frame))
    }
}
