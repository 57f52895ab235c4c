import RillCore
import RillTestSupport
import Testing

@testable import RillFiles

@Suite struct VideoFileFormatTests {
    @Test(arguments: [
        ("a.y4m", VideoFileFormat.y4m), ("/x/y.z/A.Y4M", .y4m), ("a.yuv", .i420), ("a.i420", .i420), ("a.nv12", .nv12),
        ("a.ivf", .ivf), ("a.rtp", .rtpDump), ("a.rtpdump", .rtpDump), ("a.b.png", .png), ("a", nil), ("", nil),
        ("-", nil), (".y4m", nil), ("x/.y4m", nil), ("y4m", nil), ("a.y4m/b", nil), ("a.", nil), ("a.mp4", nil),
    ])
    func `The file name extension decides`(path: String, format: VideoFileFormat?) {
        #expect(VideoFileFormat(path: path) == format)
    }

    @Test(arguments: [
        ("YUV4MPEG2 W2", VideoFileFormat.y4m), ("DKIF\u{0}\u{0}", .ivf), ("#!rtpplay1.0 1/2", .rtpDump),
        ("YUV4MPEG", nil), ("", nil), ("#!/bin/sh", nil),
    ])
    func `The first bytes tell`(text: String, format: VideoFileFormat?) {
        #expect(VideoFileFormat(firstBytes: [UInt8](text.utf8).span) == format)
    }

    @Test func `A picture is known by its first bytes`() throws {
        let png = try PNGWriter.bytes(of: noiseFrames(1, Resolution(width: 2, height: 2))[0])
        #expect(VideoFileFormat(firstBytes: png.span) == .png)
    }

    @Test func `Every ending leads back to its format`() {
        for format in VideoFileFormat.allCases {
            for ending in format.pathExtensions { #expect(VideoFileFormat(path: "x.\(ending)") == format) }
        }
    }

    @Test func `Peeking removes nothing`() throws {
        var input = ByteInput(bytes: [UInt8]("YUV4MPEG2 W1 H1\nFRAME\nabc".utf8))
        let format = try input.sniffFormat()
        #expect(format == .y4m)
        #expect(Playback(of: try Y4MReader(input)).frames == [[UInt8]("abc".utf8)])
    }
}
