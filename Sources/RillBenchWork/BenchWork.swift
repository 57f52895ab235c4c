import Glibc
import Rill
import RillCore
import RillLab

/// What `rill bench` measures of Rill: processes as those of an app would be, which link Rill and nothing else.
///
///     rill-bench-work send CLIP.y4m HIGH LOW BITRATE LOW_BITRATE THREADS   both layers, as fast as it goes, over UDP
///     rill-bench-work packets CLIP.y4m OUT.rtpdump BITRATE                 the high layer's packets, into a file
///     rill-bench-work replay FILE.rtpdump ADDRESS                          a file's packets, at their own times
///     rill-bench-work receive ADDRESS FRAMES                               one stream, until so many pictures are there
///     rill-bench-work beautify CLIP.y4m OPTIONS|off                        reads, and makes beautiful
///     rill-bench-work latency CLIP.y4m BITRATE FRAMES                      a live call with oneself; prints all stamps
///     rill-bench-work spin PARENT                                          keeps a hardware thread busy
///
/// Each prints `frames=COUNT` of what it has worked on. Those that measure themselves print more of such pairs:
///
///     rill-bench-work senders CLIP.y4m SIZE COUNT high|low|both BITRATE LOW SECONDS ADDRESS   many live senders
///     rill-bench-work record CLIP.y4m HIGH.rtpdump LOW.rtpdump BITRATE LOW SECONDS            what receivers are given
///     rill-bench-work receivers ADDRESS HIGH LOW SECONDS THREADS                              many live streams
///
/// LOW is the low layer's bitrate and rate, `45k@5`.
@main
struct BenchWork {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            print("rill-bench-work: \(error)")
            exit(1)
        }
    }

    private static func run(_ words: [String]) throws {
        let count: Int
        switch (words.first, words.count) {
        case ("senders", 9):
            return try SendersWork(
                clip: words[1], resolution: try Resolution(notation: words[2]), count: Int(words[3]) ?? 1,
                layers: SendersWork.Layers(rawValue: words[4]) ?? .both, bitrate: try Bitrate(notation: words[5]),
                low: try LowStream(notation: words[6]), seconds: Double(words[7]) ?? 1,
                address: try UDPAddress.resolve(words[8])
            ).run()
        case ("receivers", 6):
            return try ReceiversWork(
                address: try UDPAddress.resolve(words[1]), high: Int(words[2]) ?? 0, low: Int(words[3]) ?? 0,
                seconds: Double(words[4]) ?? 1, threads: Int(words[5]) ?? 1
            ).run()
        case ("record", 7):
            count = try RecordWork(
                clip: words[1], high: words[2], lowPath: words[3], bitrate: try Bitrate(notation: words[4]),
                low: try LowStream(notation: words[5]), seconds: Double(words[6]) ?? 1
            ).run()
        case ("send", 7):
            count = try SendWork(
                clip: words[1], high: try UDPAddress.resolve(words[2]), low: try UDPAddress.resolve(words[3]),
                bitrate: try Bitrate(notation: words[4]), lowBitrate: try Bitrate(notation: words[5]),
                threadCount: Int(words[6]) ?? 1
            ).run()
        case ("packets", 4):
            count = try PacketWork(clip: words[1], output: words[2], bitrate: try Bitrate(notation: words[3])).run()
        case ("replay", 3):
            let socket = try ConnectedUDPSocket(to: try UDPAddress.resolve(words[2]))
            count = try Replay(of: words[1]).run(to: socket).sent
        case ("receive", 3):
            count = try ReceiveWork(address: try UDPAddress.resolve(words[1]), frameCount: Int(words[2]) ?? 1).run()
        case ("beautify", 3):
            count = try BeautyWork(clip: words[1], options: try BeautyOptions(notation: words[2])).run()
        case ("latency", 4):
            count = try LatencyWork(
                clip: words[1], bitrate: try Bitrate(notation: words[2]), frameCount: Int(words[3]) ?? 1
            ).run()
        case ("spin", 2): count = SpinWork(parent: pid_t(words[1]) ?? 0).run()
        default:
            print(
                "usage: rill-bench-work send|packets|replay|receive|beautify|latency|spin|senders|record|receivers …, as "
                    + "`rill bench` does")
            exit(64)
        }
        print("frames=\(count)")
    }
}
