import RillCodec
import RillCore
import RillTestSupport
import Testing

/// 100,000 damaged frames through each decoder.
@Suite struct DamagedFramesTests {
    /// The kinds of damage to the frames.
    private struct Counts {
        var pictures = 0
        var refused = 0
        var skipped = 0
    }

    /// Good frames, small, each kind of them: key and delta frames, changes of size, superframes and repetitions.
    private func seeds(_ codec: VideoCodec) throws -> [[UInt8]] {
        let size = Resolution(width: 64, height: 48)
        var frames = try CodedStream(codec, size, count: 8, bitrate: .kilobits(120), keyFrames: [4]).frames
        frames += try CodedStream(codec, Resolution(width: 33, height: 17), count: 2).frames
        guard codec == .vp9 else { return frames }
        frames += try CodedStream(stored: "vp9-hidden.ivf", codec).frames[0..<4]
        frames += try CodedStream(stored: "vp9-resized.ivf", codec).frames[4...6]
        frames.append([0x88] + [UInt8](repeating: 0, count: 3))
        var pair = frames[1] + frames[2]
        let sizes = [frames[1].count, frames[2].count]
        pair.append(addingCapacity: 34) { output in VP9Superframe.writeIndex(sizes: sizes.span, into: &output) }
        frames.append(pair)
        return frames
    }

    @Test(arguments: VideoCodec.allCases, [(DamagePolicy.waitForKeyFrame, 100_000), (.continueDecoding, 25_000)])
    func `No bytes bring a decoder down, and it resumes with the next key frame`(
        codec: VideoCodec, run: (policy: DamagePolicy, count: Int)
    ) throws {
        let seeds = try seeds(codec)
        let good = try CodedStream(codec, .qqvga, count: 3).frames
        let expected = try decoded(good, by: VPXDecoder(codec, postProcessing: .smallPictures))
        let decoder = try VPXDecoder(
            codec, poolCapacity: 3, maximumPixelCount: 256 * 256, damagePolicy: run.policy,
            postProcessing: .smallPictures)
        var (counts, kept) = (Counts(), [VideoFrame]())
        var (resident, isBroken) = (0, true)
        let inputs = MutatedInputs(of: seeds, count: run.count, using: SeededGenerator(seed: 11))
        for (index, bytes) in inputs.enumerated() {
            // Most inputs find a decoder that is at work, not one that waits.
            if isBroken, index % 4 == 0 { isBroken = try decoder.decode(seeds[0]).picture == nil }
            do throws(CodecError) {
                switch try decoder.decode(bytes) {
                case .picture(let picture):
                    counts.pictures += 1
                    #expect(picture.resolution.pixelCount <= 256 * 256)
                    // A picture is held while others come, as sinks do.
                    kept = kept.suffix(1) + [picture]
                case .awaitingKeyFrame: counts.skipped += 1
                case .hidden: break
                case .noBuffer: Issue.record("input \(index): two pictures are held, three may be")
                }
            } catch {
                (counts.refused, isBroken) = (counts.refused + 1, true)
            }
            if index % 4000 == 3999 {
                #expect(try decoded(good, by: decoder) == expected, "\(codec), after input \(index)")
            }
            if index == run.count / 4 { resident = try residentByteCount() }
        }
        #expect(decoder.statistics.framesCorrupted >= counts.refused)
        #expect(min(counts.refused, counts.pictures) > run.count / 10, "\(codec): \(counts)")
        #expect(decoder.blocks.statistics.inUse <= decoder.blocks.capacity)
        #expect(decoder.blocks.statistics.byteCount <= decoder.blocks.capacity * 640 * 640 * 3 / 2)
        expectFlatMemory(since: resident)
    }

    private func decoded(_ frames: [[UInt8]], by decoder: VPXDecoder) throws -> [UInt32] {
        try frames.map { crc32(try existing(try decoder.decode($0).picture).samples) }
    }
}
