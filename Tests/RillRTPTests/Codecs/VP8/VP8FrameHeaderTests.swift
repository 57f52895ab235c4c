import RillCore
import RillRTP
import RillTestSupport
import Testing

@Suite struct VP8FrameHeaderTests {
    /// The first bytes of frames that libvpx made of a clip of 178x146.
    private static let keyFrame: [UInt8] = [0xF0, 0x43, 0x00, 0x9D, 0x01, 0x2A, 0xB2, 0x00, 0x92, 0x00]
    private static let deltaFrame: [UInt8] = [0x71, 0x03, 0x00, 0x12]

    @Test func `A key frame of libvpx is read`() throws {
        let header = try VP8FrameHeader(parsing: VP8FrameHeaderTests.keyFrame.span)
        #expect(header.isKeyFrame && header.isShown && header.version == 0)
        #expect(header.firstPartitionByteCount == 543)
        #expect(header.keyFrame == VP8FrameHeader.KeyFrame(width: 178, height: 146))
        #expect(written(header) == VP8FrameHeaderTests.keyFrame)
    }

    @Test func `A delta frame of libvpx is read`() throws {
        let header = try VP8FrameHeader(parsing: VP8FrameHeaderTests.deltaFrame.span)
        #expect(header == VP8FrameHeader(firstPartitionByteCount: 27))
        #expect(!header.isKeyFrame)
        #expect(written(header) == Array(VP8FrameHeaderTests.deltaFrame.prefix(3)))
    }

    @Test func `Any header round-trips`() throws {
        let scalings: [VP8FrameHeader.Scaling] = [.none, .fiveFourths, .fiveThirds, .two]
        for version in 0..<8 as Range<UInt8> {
            for size in [0, 1, 7, 8, 2047, 2048, VP8FrameHeader.maximumFirstPartitionByteCount] {
                for isShown in [true, false] {
                    for (index, dimension) in [1, 255, 256, 16383].enumerated() {
                        let keyFrame = VP8FrameHeader.KeyFrame(
                            width: dimension, height: 16384 - dimension, horizontalScaling: scalings[index],
                            verticalScaling: scalings[3 - index])
                        for keyFrame in [nil, keyFrame] {
                            let header = VP8FrameHeader(
                                version: version, isShown: isShown, firstPartitionByteCount: size, keyFrame: keyFrame)
                            let bytes = written(header)
                            #expect(bytes.count == header.byteCount)
                            #expect(try VP8FrameHeader(parsing: bytes.span) == header)
                        }
                    }
                }
            }
        }
    }

    @Test func `Errors carry their numbers`() {
        let key = VP8FrameHeaderTests.keyFrame
        for count in 0..<10 {
            #expect(throws: BitstreamError.truncated(needed: count < 3 ? 3 : 10, available: count)) {
                _ = try VP8FrameHeader(parsing: Array(key.prefix(count)).span)
            }
        }
        var broken = key
        broken[4] = 0x02
        #expect(throws: BitstreamError.invalidStartCode(0x9D_022A)) { _ = try VP8FrameHeader(parsing: broken.span) }
        broken = key
        broken[6] = 0
        broken[7] = 0xC0
        #expect(throws: BitstreamError.emptyPicture(width: 0, height: 146)) {
            _ = try VP8FrameHeader(parsing: broken.span)
        }
    }

    @Test func `Any bytes are a header that writes itself again, or a typed error`() {
        var parsed = 0
        let inputs = MutatedInputs(
            of: [VP8FrameHeaderTests.keyFrame, VP8FrameHeaderTests.deltaFrame], count: 100_000,
            using: SeededGenerator(seed: 6))
        for (index, input) in inputs.enumerated() {
            do throws(BitstreamError) {
                let header = try VP8FrameHeader(parsing: input.span)
                parsed += 1
                #expect(written(header) == Array(input.prefix(header.byteCount)), "input \(index)")
            } catch {
                switch error {
                case .truncated(let needed, let available): #expect(needed > available, "input \(index)")
                case .invalidStartCode(let code): #expect(code != 0x9D_012A, "input \(index)")
                case .emptyPicture(let width, let height): #expect(width * height == 0, "input \(index)")
                default: Issue.record("input \(index): \(error)")
                }
            }
        }
        #expect((30_000..<90_000).contains(parsed), "\(parsed) of the inputs were headers")
    }

    private func written(_ header: VP8FrameHeader) -> [UInt8] {
        [UInt8](capacity: header.byteCount) { output in header.write(into: &output) }
    }
}
