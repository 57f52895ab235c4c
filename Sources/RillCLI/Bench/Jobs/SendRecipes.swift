import Rill
import RillCore

/// How each program is told to do the same: two VP8 streams of one clip over UDP.
struct SendRecipes {
    var clip: BenchClip
    var high: UDPAddress
    var low: UDPAddress
    var folder: BenchFolder

    func rill(_ work: String, threads: Int) -> Contestant {
        contestant(
            "Rill", .ours,
            [
                work, "send", clip.y4m, "\(high)", "\(low)", "\(clip.bitrate)", "\(BenchClip.lowBitrate)", "\(threads)",
            ])
    }

    func ffmpeg(_ program: String, threads: Int) -> Contestant {
        let (width, height) = croppedSize
        // One thread where libavcodec and libavfilter would start some of their own; the encoders have theirs.
        var words = [program, "-nostdin", "-v", "error", "-filter_threads", "1", "-filter_complex_threads", "1"]
        words += ["-threads", "1", "-i", clip.y4m, "-filter_complex"]
        words += ["[0:v]split[high][full];[full]fps=5,crop=\(width):\(height),scale=160:120:flags=area[low]"]
        words +=
            ["-map", "[high]"] + encoder(clip.bitrate, BenchClip.speed(clip.resolution), threads, startsFull: false)
        words += ["-f", "rtp", url(high), "-map", "[low]"]
        words += encoder(BenchClip.lowBitrate, -4, 1, startsFull: true) + ["-max-intra-rate", "175"]
        words += ["-f", "rtp", url(low)]
        return contestant("FFmpeg", .rival, words)
    }

    private func encoder(_ bitrate: Bitrate, _ speed: Int, _ threads: Int, startsFull: Bool) -> [String] {
        let rate = "\(bitrate.bitsPerSecond)"
        return FFmpegRecipe.vp8(bitrate, speed: speed, threads: threads) + [
            "-rc_init_occupancy", startsFull ? rate : "\(bitrate.bitsPerSecond / 2)",
        ]
    }

    /// RTCP goes to the same port, where somebody listens.
    private func url(_ address: UDPAddress) -> String {
        "rtp://\(address)?rtcpport=\(address.port)&pkt_size=1200"
    }

    func gstreamer(_ program: String, threads: Int) -> Contestant {
        let (width, height) = croppedSize
        let (x, y) = ((clip.resolution.width - width) / 2, (clip.resolution.height - height) / 2)
        let size = clip.resolution
        var words = [program, "--quiet", "filesrc", "location=\(clip.samples)"]
        words += ["blocksize=\(size.pixelCount * 3 / 2)", "!", "rawvideoparse", "format=i420"]
        words += ["width=\(size.width)", "height=\(size.height)", "framerate=30/1", "!", "tee", "name=pictures"]
        words += ["pictures.", "!"] + vp8enc(clip.bitrate, BenchClip.speed(size), threads, ["buffer-initial-size=500"])
        words += ["!"] + packets(to: high)
        words += ["pictures.", "!", "videorate", "drop-only=true", "!", "video/x-raw,framerate=5/1", "!", "videocrop"]
        words += ["left=\(x)", "right=\(x)", "top=\(y)", "bottom=\(y)", "!", "videoscale", "!"]
        words += ["video/x-raw,width=160,height=120", "!"]
        words += vp8enc(BenchClip.lowBitrate, -4, 1, ["buffer-initial-size=1000", "max-intra-bitrate=175"])
        words += ["!"] + packets(to: low)
        return contestant("GStreamer", .rival, words)
    }

    private func vp8enc(_ bitrate: Bitrate, _ speed: Int, _ threads: Int, _ more: [String]) -> [String] {
        [
            "vp8enc", "deadline=1", "cpu-used=\(speed)", "threads=\(threads)", "end-usage=cbr",
            "target-bitrate=\(bitrate.bitsPerSecond)", "min-quantizer=2", "max-quantizer=56", "undershoot=100",
            "overshoot=15", "buffer-size=1000", "buffer-optimal-size=600", "keyframe-max-dist=3000", "lag-in-frames=0",
            "static-threshold=1",
        ] + more
    }

    private func packets(to address: UDPAddress) -> [String] {
        [
            "rtpvp8pay", "mtu=1200", "!", "udpsink", "host=\(address.ip)", "port=\(address.port)", "sync=false",
            "async=false",
        ]
    }

    func vpxenc(_ program: String) -> Contestant {
        contestant(
            "vpxenc, high stream alone", .floor,
            [
                program, "--codec=vp8", "--ivf", "--passes=1", "--rt", "--cpu-used=\(BenchClip.speed(clip.resolution))",
                "--end-usage=cbr", "--target-bitrate=\(clip.bitrate.bitsPerSecond / 1000)", "--min-q=2", "--max-q=56",
                "--undershoot-pct=100", "--overshoot-pct=15", "--buf-sz=1000", "--buf-initial-sz=500",
                "--buf-optimal-sz=600", "--kf-max-dist=3000", "--lag-in-frames=0", "--static-thresh=1",
                "--token-parts=0", "--threads=1", "--fps=30/1", "--timebase=1/90000", "--quiet", "-o",
                folder.path("vpxenc.ivf"), clip.y4m,
            ])
    }

    /// The largest rectangle in the middle of the picture that has the low stream's shape.
    private var croppedSize: (width: Int, height: Int) {
        let size = clip.resolution
        guard size.width * 120 > size.height * 160 else { return (size.width, size.width * 120 / 160 / 2 * 2) }
        return (size.height * 160 / 120 / 2 * 2, size.height)
    }

    private func contestant(_ name: String, _ part: Contestant.Part, _ words: [String]) -> Contestant {
        Contestant(name: name, part: part, command: Invocation(words: words))
    }
}

/// What FFmpeg's libvpx is told, so that it works as Rill's.
enum FFmpegRecipe {
    /// Options of one VP8 stream. The buffer is 720 ms: FFmpeg aims at five sixths of it, Rill at 600 of 1000 ms.
    static func vp8(_ bitrate: Bitrate, speed: Int, threads: Int) -> [String] {
        let rate = "\(bitrate.bitsPerSecond)"
        return [
            "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "\(speed)", "-threads", "\(threads)", "-b:v", rate,
            "-minrate", rate, "-maxrate", rate, "-bufsize", "\(bitrate.bitsPerSecond * 72 / 100)", "-qmin", "2",
            "-qmax",
            "56", "-undershoot-pct", "100", "-overshoot-pct", "15", "-lag-in-frames", "0", "-g", "3000",
            "-static-thresh",
            "1",
        ]
    }
}
