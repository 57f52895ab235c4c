import RillCore
import RillRTP
import RillTestSupport
import Testing

@Suite struct VP9FrameHeaderTests {
    /// The first bytes of frames that libvpx made of a clip of 178x146.
    private static let keyFrame: [UInt8] = [0x82, 0x49, 0x83, 0x42, 0x00, 0x0B, 0x10, 0x09, 0x16, 0x0A]
    private static let interFrame: [UInt8] = [0x86, 0x00, 0x40, 0x92, 0x80, 0x00]

    @Test func `Frames of libvpx are read`() throws {
        let key = try VP9FrameHeader(parsing: VP9FrameHeaderTests.keyFrame.span)
        #expect(key == VP9FrameHeader(kind: .key(.init(width: 178, height: 146), isShown: true)))
        #expect(key.isKeyFrame)
        let inter = try VP9FrameHeader(parsing: VP9FrameHeaderTests.interFrame.span)
        #expect(inter == VP9FrameHeader(kind: .inter(isShown: true, size: nil)))
        #expect(!inter.isKeyFrame && inter.isShown)
    }

    @Test func `Any header round-trips`() throws {
        var kinds: [VP9FrameHeader.Kind] = [.inter(isShown: true, size: nil), .inter(isShown: false, size: nil)]
        for size in [VP9FrameHeader.Size(width: 1, height: 65536), .init(width: 65536, height: 1)] {
            kinds += [.inter(isShown: true, size: size), .inter(isShown: false, size: size)]
        }
        for slot in 0..<8 as Range<UInt8> { kinds.append(.repeated(slot: slot)) }
        for profile in 0..<4 as Range<UInt8> {
            var all = kinds
            for size in [1, 2, 255, 256, 65535, 65536] {
                for colorSpace in 0..<8 as Range<UInt8> {
                    let isRGB = colorSpace == 7
                    let key = VP9FrameHeader.Picture(
                        width: size, height: 65537 - size, bitDepth: profile >= 2 ? 10 + size % 2 * 2 : 8,
                        colorSpace: colorSpace, isFullRange: isRGB || size % 2 == 0,
                        subsampling: profile & 1 == 0
                            ? .init(x: 1, y: 1) : isRGB ? .init(x: 0, y: 0) : .init(x: 1, y: 0))
                    all.append(.key(key, isShown: size > 1))
                    var intraOnly = key
                    if profile == 0 { intraOnly.colorSpace = 1 }
                    if profile == 0 { intraOnly.isFullRange = false }
                    all.append(.intraOnly(intraOnly))
                }
            }
            for kind in all {
                let header = VP9FrameHeader(profile: profile, kind: kind)
                let bytes = written(header)
                #expect(try VP9FrameHeader(parsing: bytes.span) == header)
            }
        }
    }

    @Test func `Errors carry their numbers`() {
        let key = VP9FrameHeaderTests.keyFrame
        for count in 0..<9 {
            #expect(throws: BitstreamError.self) { _ = try VP9FrameHeader(parsing: Array(key.prefix(count)).span) }
        }
        #expect(throws: BitstreamError.truncated(needed: 1, available: 0)) {
            _ = try VP9FrameHeader(parsing: [UInt8]().span)
        }
        #expect(throws: BitstreamError.invalidFrameMarker(1)) { _ = try VP9FrameHeader(parsing: [UInt8(0x42)].span) }
        var broken = key
        broken[3] = 0x43
        #expect(throws: BitstreamError.invalidSyncCode(0x49_8343)) { _ = try VP9FrameHeader(parsing: broken.span) }
    }

    @Test func `Any bytes are a header that writes itself again, or a typed error`() {
        var parsed = 0
        let inputs = MutatedInputs(
            of: [
                VP9FrameHeaderTests.keyFrame, VP9FrameHeaderTests.interFrame,
                written(VP9FrameHeader(kind: .inter(isShown: false, size: .init(width: 178, height: 146)))),
                written(VP9FrameHeader(profile: 2, kind: .intraOnly(.init(width: 178, height: 146, bitDepth: 10)))),
            ], count: 100_000, using: SeededGenerator(seed: 6))
        for (index, input) in inputs.enumerated() {
            do throws(BitstreamError) {
                let header = try VP9FrameHeader(parsing: input.span)
                parsed += 1
                let again = try VP9FrameHeader(parsing: written(header).span)
                #expect(again == header, "input \(index)")
            } catch {
                switch error {
                case .truncated(let needed, let available): #expect(needed > available, "input \(index)")
                case .invalidFrameMarker(let marker): #expect(marker != 2, "input \(index)")
                case .invalidSyncCode(let code): #expect(code != 0x49_8342, "input \(index)")
                default: Issue.record("input \(index): \(error)")
                }
            }
        }
        #expect((30_000..<90_000).contains(parsed), "\(parsed) of the inputs were headers")
    }

    private func written(_ header: VP9FrameHeader) -> [UInt8] {
        [UInt8](capacity: VP9FrameHeader.maximumByteCount) { output in header.write(into: &output) }
    }
}
