import RillCore
import RillRTP
import RillWireFuzzTargets

/// A coded frame of either codec: what its headers say writes itself again, and a superframe's frames lie where it
/// says.
func fuzzCodedFrame(_ bytes: Span<UInt8>) {
    if let header = try? VP8FrameHeader(parsing: bytes) {  // a typed error is as good an answer, here and below
        let written = [UInt8](capacity: header.byteCount) { output in header.write(into: &output) }
        precondition(isEqual(written.span, bytes.extracting(0..<header.byteCount)))
    }
    if let frames = try? VP9Superframe(parsing: bytes) {
        var end = 0
        for index in 0..<frames.frameCount {
            let range = frames[index]
            precondition(range.lowerBound == end && !range.isEmpty && range.upperBound <= bytes.count)
            end = range.upperBound
            fuzzVP9Frame(bytes.extracting(range))
        }
    }
    for codec in VideoCodec.allCases {
        guard let header = try? CodedFrameHeader(parsing: bytes, as: codec) else { continue }
        precondition((0...65536).contains(header.width) && (0...65536).contains(header.height))
        precondition((0...3).contains(header.profile))
        precondition(!header.isKeyFrame || (header.width > 0 && header.height > 0))
    }
}

private func fuzzVP9Frame(_ bytes: Span<UInt8>) {
    guard let header = try? VP9FrameHeader(parsing: bytes) else { return }  // a typed error, as above
    let written = [UInt8](capacity: VP9FrameHeader.maximumByteCount) { output in header.write(into: &output) }
    precondition((try? VP9FrameHeader(parsing: written.span)) == header)  // an error is none that equals it, and traps
}

func codedFrameSeeds() -> [FuzzTarget.Seed] {
    let key = VP9FrameHeader(kind: .key(.init(width: 640, height: 480), isShown: false))
    let deep = VP9FrameHeader(profile: 3, kind: .intraOnly(.init(width: 64, height: 48, bitDepth: 12)))
    let resized = VP9FrameHeader(kind: .inter(isShown: true, size: .init(width: 320, height: 240)))
    let repeated = VP9FrameHeader(kind: .repeated(slot: 5))
    return [
        FuzzTarget.Seed("vp8-key") {
            VP8FrameHeader(firstPartitionByteCount: 300, keyFrame: .init(width: 640, height: 480)).write(into: &$0)
        },
        FuzzTarget.Seed("vp8-delta") { VP8FrameHeader(isShown: false, firstPartitionByteCount: 7).write(into: &$0) },
        FuzzTarget.Seed("vp9-key") { key.write(into: &$0) },
        FuzzTarget.Seed("vp9-intra-only") { deep.write(into: &$0) },
        FuzzTarget.Seed("vp9-resized") { resized.write(into: &$0) },
        FuzzTarget.Seed("vp9-repeated") { repeated.write(into: &$0) },
        FuzzTarget.Seed("vp9-superframe") { output in
            var sizes: [Int] = []
            for header in [key, resized, repeated] {
                let start = output.count
                header.write(into: &output)
                sizes.append(output.count - start)
            }
            VP9Superframe.writeIndex(sizes: sizes.span, into: &output)
        },
    ]
}
