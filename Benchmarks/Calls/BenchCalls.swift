import Arguments
import Foundation
import Rill

/// Makes and evaluates calls over bad networks in virtual time, for `Scripts/bench network` and `Scripts/bench rivals`.
///
///     bench-calls prepare --folder F --seconds N [--key-seconds N] [--clip CLIP.y4m]
///     bench-calls calls   --folder F --seconds N [--key-seconds N] [--clip CLIP.y4m]  < JOBS > RESULTS
///     bench-calls judge   --trace TRACE.json --layer high|low  < LOG > RESULTS
///     bench-calls long    --folder F --hours N --network NETWORK [--congestion on]
///     bench-calls congestion      --case NAME --clip CLIP.y4m [--seed N] [--seconds N]
///     bench-calls congestion      --trace FILE --from S --clip CLIP.y4m [--seed N] [--seconds N]
///     bench-calls congestion-shared --case NAME --clip CLIP.y4m [--seed N]
///     bench-calls congestion-live --case NAME --clip CLIP.y4m [--seed N] [--seconds N] --rill PROGRAM
///
/// `prepare` encodes both layers once. `calls` makes a call for each input line and writes a line for each. A call with
/// a capture also writes CAPTURE.json, which `judge` needs to evaluate another receiver of that capture. `long`
/// simulates hours of a call by repeating the ten seconds that `workload prepare` encodes. `congestion` makes a call
/// with encoders that follow the network, and writes what it showed; `congestion-shared` makes several at once behind
/// one queue; `congestion-live` makes it in real time, over sockets and `rill relay`.
@main
enum BenchCalls {
    static func main() {
        Arguments.run("bench-calls") { arguments in
            switch arguments.verb {
            case "prepare":
                try CodedLayers.prepare(
                    Pictures(clip: arguments.optional("clip")), seconds: arguments.number("seconds") ?? 0,
                    keySeconds: arguments.number("key-seconds"), in: arguments["folder"])
            case "calls": try makeCalls(arguments)
            case "judge": try judge(trace: arguments["trace"], layer: arguments["layer"])
            case "long":
                try LongCall.run(
                    hours: arguments.number("hours") ?? 1, network: arguments["network"], in: arguments["folder"],
                    isPaced: arguments.optional("congestion") == "on")
            case "congestion": try CongestionTrial.run(arguments)
            case "congestion-shared": try SharedCongestionTrial.run(arguments)
            case "congestion-live": try LiveCongestionTrial.run(arguments)
            default:
                throw WrongUse(
                    "no verb \(arguments.verb): expected prepare, calls, judge, long, congestion, congestion-shared or "
                        + "congestion-live")
            }
        }
    }

    private static func makeCalls(_ arguments: Arguments) throws {
        let trial = try Trial(
            folder: arguments["folder"], seconds: arguments.number("seconds") ?? 0,
            keySeconds: arguments.number("key-seconds"), clip: arguments.optional("clip"))
        while let line = readLine() {
            let job = try JSONDecoder().decode(Job.self, from: Data(line.utf8))
            let (result, log) = try trial.run(job)
            if let path = job.capture {
                try JSONEncoder().encode(RivalTrace(log)).write(to: URL(fileURLWithPath: path + ".json"))
            }
            // Not `print`, which buffers lines if the output is a pipe.
            FileHandle.standardOutput.write(Data((try text(result) + "\n").utf8))
        }
    }

    private static func judge(trace path: String, layer name: String) throws {
        let trace = try JSONDecoder().decode(RivalTrace.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        guard let layer = trace.layers.first(where: { $0.name == name }) else { throw WrongUse("no layer \(name)") }
        let log = String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
        let results = try layer.judge(log)
        print(try text(Dictionary(uniqueKeysWithValues: results.map { (String($0.key), $0.value) })))
    }

    private static func text(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }
}
