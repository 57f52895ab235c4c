import Arguments

/// What `Scripts/bench` measures of Rill: processes as those of an app would be, which link Rill and nothing else.
///
///     bench-work send       --clip C [--high ADDRESS --low ADDRESS] …   both layers, as fast as it goes
///     bench-work simulcast  --clip C --codec vp8|vp9 …                  scaling and both encoders
///     bench-work record     --clip C --high FILE [--low FILE] …         packets, each layer's in an rtpdump
///     bench-work replay     --packets FILE --to ADDRESS                 a file's packets, at their own times
///     bench-work receive    --at ADDRESS --frames N                     one stream, until so many pictures are there
///     bench-work beautify   --clip C --beauty natural|off|…             reads, and makes beautiful
///     bench-work camera     --count N                                   frames of /dev/video-fake
///     bench-work latency    --clip C --bitrate B --frames N …           a live call with oneself; prints all timestamps
///     bench-work senders    --clip C --count N …                        many live senders
///     bench-work receivers  --at ADDRESS --high N --low N …             many live streams
///     bench-work conference --at PORT --others PORT …                   one end of a conference
///     bench-work others     --at PORT --ends PORT,… …                   all of its other ends
///     bench-work layer-source|layer-encode|layer-judge --clip C …       one layer by itself
///
/// Each prints what it has done as `name=value`, the pictures that it has worked on as `frames=COUNT`.
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
        "layer-source": { try LayerWork($0).writeSource() },
        "layer-encode": { try LayerWork($0).encode() },
        "layer-judge": { try LayerWork($0).judge() },
    ]
}
