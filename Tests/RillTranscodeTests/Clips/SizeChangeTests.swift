import Foundation
import RillCodec
import RillCore
import RillMediaSupport
import RillTestSupport
import Testing

@testable import RillTranscode

/// Clips whose pictures change their size.
@Suite struct SizeChangeTests {
    /// Pictures that were drawn beforehand.
    private final class Pictures: FrameSource {
        let format: SourceFormat
        private var pictures: ArraySlice<VideoFrame>

        init(_ pictures: [VideoFrame]) {
            self.pictures = pictures[...]
            format = SourceFormat(resolution: pictures[0].resolution, frameRate: 30, frameCount: pictures.count)
        }

        func next() -> SourceOutput { pictures.popFirst().map { .frame($0) } ?? .end }
    }

    /// Two pictures that lie, then two that stand, then one that lies again.
    private func pictures() throws -> [VideoFrame] {
        let lying = try TestPictures(Resolution(width: 64, height: 48))
        let standing = try TestPictures(Resolution(width: 48, height: 64))
        return (0..<5).map { index in (2...3).contains(index) ? standing.picture(index) : lying.picture(index) }
    }

    @Test func `Later sizes are scaled whole to the first`() throws {
        let originals = try pictures()
        let source = try FixedSizeSource(Pictures(originals), capacity: 1)
        var held: VideoFrame?
        for (index, original) in originals.enumerated() {
            if index == 3 {
                // The one scaled picture is still looked at: the next is kept, not lost.
                guard case .noBuffer = try source.next() else {
                    Issue.record("there was a buffer")
                    return
                }
                held = nil
            }
            guard case .frame(let picture) = try source.next() else {
                Issue.record("no picture \(index)")
                return
            }
            #expect(picture.resolution == originals[0].resolution && picture.captureTime == original.captureTime)
            if original.resolution == picture.resolution {
                #expect(picture.samples == original.samples)
            } else {
                // 48x64 in a height of 48 is 36 wide: 14 black columns on either side.
                for y in 0..<48 {
                    #expect(picture.y[10, y] == 16 && picture.y[53, y] == 16, "row \(y)")
                    #expect(picture.y[20, y] > 30 && picture.y[43, y] > 30, "row \(y)")
                }
                held = picture
            }
        }
        #expect(held != nil && source.framesScaled == 2)
        guard case .end = try source.next() else {
            Issue.record("there is more than there was")
            return
        }
    }

    @Test func `Each size is passed to its own sink`() throws {
        var sinks: [(part: Int, resolution: Resolution, sink: PictureRecording)] = []
        let splitter = SplitSizeSink { part, resolution in
            sinks.append((part, resolution, PictureRecording()))
            return sinks[sinks.count - 1].sink
        }
        let originals = try pictures()
        let layer = LayerSettings.high(originals[0].resolution, bitrate: .kilobits(100))
        let report = try Transcoder(source: Pictures(originals), outputs: [.wholePictures(layer, splitter)]).run()
        #expect(report.outputs.map(\.framesWritten) == [5])
        #expect(splitter.parts.map(\.frameCount) == [2, 2, 1])
        #expect(sinks.map(\.part) == [1, 2, 3] && sinks.map(\.resolution) == splitter.parts.map(\.resolution))
        #expect(sinks.flatMap(\.sink.checksums) == originals.map(checksum))
        #expect(sinks.map(\.sink.isFinished) == [true, true, true])
    }

    @Test func `A VP9 file is read in the sizes that it has`() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Streams/vp9-resized.ivf").path
        let source = try DecodedSource(path: path)
        #expect(source.format.resolution == Resolution(width: 128, height: 96) && source.format.frameCount == 20)
        var sizes: [Resolution: Int] = [:]
        while case .frame(let picture) = try source.next() { sizes[picture.resolution, default: 0] += 1 }
        #expect(source.framesSkipped == 0)
        #expect(
            sizes == [
                Resolution(width: 128, height: 96): 10, Resolution(width: 103, height: 77): 5,
                Resolution(width: 64, height: 48): 5,
            ])
    }
}
