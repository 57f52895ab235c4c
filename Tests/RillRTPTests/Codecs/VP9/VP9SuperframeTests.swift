import RillCore
import RillRTP
import RillTestSupport
import Testing

@Suite struct VP9SuperframeTests {
    /// Frames of those sizes, of the byte 0x80, with an index behind them.
    private func superframe(_ sizes: [Int]) -> [UInt8] {
        [UInt8](repeating: 0x80, count: sizes.reduce(0, +))
            + [UInt8](capacity: 34) { output in VP9Superframe.writeIndex(sizes: sizes.span, into: &output) }
    }

    @Test(arguments: [[1], [3, 2], [255, 256, 1], [65535, 65536], [1, 1, 1, 1, 1, 1, 1, 16_777_216]])
    func `An index round-trips, with the minimum width`(sizes: [Int]) throws {
        let bytes = superframe(sizes)
        let width = sizes.max().map { $0 < 256 ? 1 : $0 < 65536 ? 2 : $0 < 16_777_216 ? 3 : 4 }
        #expect(bytes.count - sizes.reduce(0, +) == 2 + sizes.count * (width ?? 0))
        let frames = try VP9Superframe(parsing: bytes.span)
        #expect(frames.hasIndex && frames.frameCount == sizes.count)
        #expect((0..<sizes.count).map { frames[$0].count } == sizes)
        #expect(frames[0].lowerBound == 0 && frames[sizes.count - 1].upperBound == sizes.reduce(0, +))
    }

    @Test func `Bytes without an index are one frame`() throws {
        let bytes: [UInt8] = [0x82, 0xC1, 0xC1, 0x00]
        let frames = try VP9Superframe(parsing: bytes.span)
        #expect(!frames.hasIndex && frames.frameCount == 1 && frames[0] == 0..<4)
    }

    @Test func `Errors carry their numbers`() {
        func refuses(_ bytes: [UInt8], _ error: BitstreamError) {
            #expect(throws: error) { _ = try VP9Superframe(parsing: bytes.span) }
        }
        refuses([], .truncated(needed: 1, available: 0))
        refuses([0xC1], .missingSuperframeIndex(byteCount: 4, available: 1))
        refuses([0x80, 0xC1, 0x01, 0x01, 0xC0], .missingSuperframeIndex(byteCount: 3, available: 5))
        refuses([0x80, 0xC1, 0x01, 0x00, 0xC1], .invalidSuperframeSize(index: 1, byteCount: 0, available: 0))
        refuses([0x80, 0x80, 0xC1, 0x01, 0x02, 0xC1], .invalidSuperframeSize(index: 1, byteCount: 2, available: 1))
        refuses([0xC0, 0x00, 0xC0], .invalidSuperframeSize(index: 0, byteCount: 0, available: 0))
    }

    @Test func `Any bytes are consecutive frames, or a typed error`() {
        var parsed = 0
        let seeds = [superframe([3, 40, 7]), superframe([300, 20]), superframe([1]), [0x82, 0x49, 0x83, 0x42, 0x00]]
        for (index, input) in MutatedInputs(of: seeds, count: 100_000, using: SeededGenerator(seed: 8)).enumerated() {
            do throws(BitstreamError) {
                let frames = try VP9Superframe(parsing: input.span)
                parsed += 1
                var end = 0
                for frame in 0..<frames.frameCount {
                    #expect(frames[frame].lowerBound == end && !frames[frame].isEmpty, "input \(index)")
                    end = frames[frame].upperBound
                }
                #expect(frames.hasIndex ? end < input.count : end == input.count, "input \(index)")
            } catch {
                switch error {
                case .truncated, .missingSuperframeIndex: break
                case .invalidSuperframeSize(_, let count, let available):
                    #expect(count == 0 || count > available, "input \(index)")
                default: Issue.record("input \(index): \(error)")
                }
            }
        }
        #expect((30_000..<95_000).contains(parsed), "\(parsed) of the inputs were superframes or frames")
    }
}

@Suite struct CodedFrameHeaderTests {
    private func bytes(of header: VP9FrameHeader) -> [UInt8] {
        [UInt8](capacity: VP9FrameHeader.maximumByteCount) { output in header.write(into: &output) }
    }

    @Test func `Every frame of a superframe is checked`() throws {
        let frames = [
            bytes(of: VP9FrameHeader(kind: .key(.init(width: 64, height: 48), isShown: false))),
            bytes(of: VP9FrameHeader(kind: .inter(isShown: false, size: .init(width: 65536, height: 8)))),
            bytes(of: VP9FrameHeader(profile: 2, kind: .inter(isShown: true, size: nil))),
        ]
        var chunk = frames.flatMap { $0 }
        let sizes = frames.map(\.count)
        chunk.append(addingCapacity: 34) { output in VP9Superframe.writeIndex(sizes: sizes.span, into: &output) }
        let header = try CodedFrameHeader(parsing: chunk.span, as: .vp9)
        #expect(header.isKeyFrame && header.isShown && header.hasSuperframeIndex && header.profile == 2)
        #expect(header.width == 65536 && header.height == 48 && header.resolution == nil)
    }

    @Test func `VP8 signals its size in key frames only`() throws {
        let key = VP8FrameHeader(firstPartitionByteCount: 9, keyFrame: .init(width: 160, height: 120))
        let keyBytes = [UInt8](capacity: 10) { output in key.write(into: &output) }
        let header = try CodedFrameHeader(parsing: keyBytes.span, as: .vp8)
        #expect(header.isKeyFrame && header.isShown && header.resolution == .qqvga)
        let delta = VP8FrameHeader(isShown: false, firstPartitionByteCount: 9)
        let deltaBytes = [UInt8](capacity: 3) { output in delta.write(into: &output) }
        let next = try CodedFrameHeader(parsing: deltaBytes.span, as: .vp8)
        #expect(!next.isKeyFrame && !next.isShown && next.resolution == nil)
    }
}
