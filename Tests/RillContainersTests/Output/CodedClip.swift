import RillContainers
import RillCore
import RillFiles
import RillTestSupport

/// Coded frames as an encoder would give them, made by FFmpeg.
struct CodedClip {
    var frames: [(frame: EncodedFrame, payload: [UInt8])] = []
    let codec: VideoCodec
    let resolution = Resolution(width: 64, height: 48)
    /// The same frames as FFmpeg has written them.
    let path: String

    /// Frames at ten a second, a key frame among each eight.
    init(_ codec: VideoCodec, count: Int = 30, in folder: TemporaryFolder) throws {
        self.codec = codec
        path = folder.path("coded-\(codec.rawValue).ivf")
        try Peer.ffmpeg.run(
            "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=10", "-frames:v", "\(count)", "-c:v",
            codec == .vp8 ? "libvpx" : "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "8",
            "-lag-in-frames", "0", "-bitexact", path)
        let reader = try IVFReader(path: path)
        var payload: [UInt8] = []
        while let read = try reader.next(into: &payload) {
            let isKey = codec == .vp8 ? payload[0] & 1 == 0 : payload[0] >> 2 & 1 == 0
            let frame = EncodedFrame(
                codec: codec, layer: StreamLayer(rid: .high), number: Int64(frames.count),
                references: FrameReferences(), isKey: isKey, resolution: resolution, captureTime: read.time,
                byteCount: payload.count)
            frames.append((frame, payload))
        }
    }

    var video: ContainerWriter.Video {
        ContainerWriter.Video(codec: codec, resolution: resolution, frameRate: 10)
    }

    /// Writes all frames, at these times if there are some.
    func write(to writer: ContainerWriter, times: [MediaTime]? = nil) throws {
        for (index, (frame, payload)) in frames.enumerated() {
            var frame = frame
            if let times { frame.captureTime = times[index] }
            try writer.consume(frame, payload: payload.span)
        }
        try writer.finish()
    }
}

/// The reports of ffprobe and ffmpeg on a file.
enum FFmpegReport {
    /// Values that ffprobe has of packets or of a track, a row each.
    static func rows(_ path: String, _ entries: String, _ options: String...) throws -> [String] {
        let output = try Peer.ffprobe.run(
            ["-v", "error"] + options + ["-show_entries", entries, "-of", "csv=p=0", path])
        return lines(output).map { $0.hasSuffix(",") ? String($0.dropLast()) : $0 }
    }

    /// A checksum of each decoded picture, by FFmpeg.
    static func pictures(_ path: String) throws -> [String] {
        let output = try Peer.ffmpeg.run(
            "-v", "error", "-xerror", "-i", path, "-map", "0:v", "-fps_mode", "passthrough", "-f", "framemd5", "-")
        return lines(output).filter { !$0.hasPrefix("#") }.map { String($0.split(separator: " ").last!) }
    }

    /// The packets of a track as they are, a checksum each.
    static func packets(_ path: String, _ track: String) throws -> [String] {
        let output = try Peer.ffmpeg.run(
            "-v", "error", "-i", path, "-map", "0:\(track)", "-c", "copy", "-f", "framemd5", "-")
        return lines(output).filter { !$0.hasPrefix("#") }.map {
            String($0.split(separator: ",")[5].drop(while: { $0 == " " }))
        }
    }

    private static func lines(_ output: [UInt8]) -> [String] {
        String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
