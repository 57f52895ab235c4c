import Arguments

/// The processes that `Scripts/bench` measures, like those of an app that links only Rill.
///
///     bench-work send       --clip C [--high ADDRESS --low ADDRESS] …   both layers, as fast as possible
///     bench-work simulcast  --clip C --codec vp8|vp9 …                  scaling and both encoders
///     bench-work record     --clip C --high FILE [--low FILE] …         packets, an rtpdump file per layer
///     bench-work replay     --packets FILE --to ADDRESS                 a file's packets, at their times
///     bench-work receive    --at ADDRESS --frames N                     one stream, until N pictures are shown
///     bench-work beautify   --clip C --beauty natural|off|…             reads and filters
///     bench-work camera     --count N                                   frames of /dev/video-fake
///     bench-work latency    --clip C --bitrate B --frames N …           a live loopback call; prints all timestamps
///     bench-work senders    --clip C --count N …                        many live senders
///     bench-work receivers  --at ADDRESS --high N --low N …             many live streams
///     bench-work conference --at PORT --others PORT …                   one end of a conference
///     bench-work others     --at PORT --ends PORT,… …                   all other ends
///     bench-work flood      --seconds N --rate R                        a call whose port unknown peers flood
///     bench-work forward                                                a forwarder of streams
///     bench-work publisher  --clip C --size WxH --bitrate B             a call that publishes
///     bench-work viewers    [--at IP]                                   many viewers
///     bench-work layer-source|layer-encode|layer-judge --clip C …       only one layer
///
/// Each prints its results as `name=value`, including the number of processed pictures as `frames=COUNT`.
@main
enum BenchWork {
    static func main() {
        Arguments.run("bench-work") { arguments in
            guard let work = verbs[arguments.verb] else {
                throw WrongUse("no verb \(arguments.verb): expected one of \(verbs.keys.sorted())")
            }
            try work(arguments)
        }
    }

    private static let verbs: [String: @Sendable (Arguments) throws -> Void] = [
        "send": { try SendWork($0).run() },
        "simulcast": { try SimulcastWork($0).run() },
        "record": { try RecordWork($0).run() },
        "replay": { try ReceiveWork.replay($0) },
        "receive": { try ReceiveWork($0).run() },
        "beautify": { try BeautyWork($0).run() },
        "camera": { try CameraWork.run(count: $0.number("count") ?? 1) },
        "latency": { try LatencyWork($0).run() },
        "senders": { try SendersWork($0).run() },
        "receivers": { try ReceiversWork($0).run() },
        "conference": { try ConferenceWork($0).run($0) },
        "others": { try ConferenceWork($0).runOthers($0) },
        "flood": { try FloodWork($0).run() },
        "forward": { _ in try ForwardWork().run() },
        "publisher": { try PublisherWork($0).run() },
        "viewers": { try ViewersWork($0).run() },
        "layer-source": { try LayerWork($0).writeSource() },
        "layer-encode": { try LayerWork($0).encode() },
        "layer-judge": { try LayerWork($0).judge() },
    ]
}
