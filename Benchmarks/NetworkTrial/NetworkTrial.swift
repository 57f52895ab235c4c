import Foundation
import Rill

/// Calls over bad networks, in virtual time: what `Benchmarks/network` and `Benchmarks/rivals` make and judge.
///
///     network-trial prepare --folder F --seconds N [--key-seconds N] [--clip CLIP.y4m]
///     network-trial calls   --folder F --seconds N [--key-seconds N] [--clip CLIP.y4m]  < JOBS > RESULTS
///     network-trial judge   TRACE.json high|low  < LOG > RESULTS
///     network-trial long    --folder F --hours N --network NETWORK
///
/// `prepare` encodes both layers once. `calls` makes a call for each line that it reads, and writes a line for each; one
/// with a capture also writes CAPTURE.json, which `judge` needs to judge what another receiver made of the capture.
/// `long` simulates hours of the ten seconds that `workload prepare` encodes.
@main
struct NetworkTrial {
    static func main() {
        do {
            try run()
        } catch {
            FileHandle.standardError.write(Data("network-trial: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run() throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        guard let verb = arguments.first else { throw WrongUse("expected prepare, calls or judge") }
        arguments.removeFirst()
        if verb == "judge" {
            guard arguments.count == 2 else { throw WrongUse("expected a trace and a layer") }
            return try judge(trace: arguments[0], layer: arguments[1])
        }
        let options = try Options(arguments)
        switch verb {
        case "prepare":
            try CodedLayers.prepare(
                Pictures(clip: options.clip), seconds: options.number("--seconds"), keySeconds: options.keySeconds,
                in: options.folder)
        case "calls": try makeCalls(options)
        case "long":
            try LongCall.run(hours: options.number("--hours"), network: options["--network"], in: options.folder)
        default: throw WrongUse("no verb \(verb): expected prepare, calls, judge or long")
        }
    }

    private static func makeCalls(_ options: Options) throws {
        let trial = try Trial(
            folder: options.folder, seconds: options.number("--seconds"), keySeconds: options.keySeconds
        ) { try Pictures(clip: options.clip) }
        while let line = readLine() {
            let job = try JSONDecoder().decode(Job.self, from: Data(line.utf8))
            let (result, log) = try trial.run(job)
            if let path = job.capture {
                try JSONEncoder().encode(RivalTrace(log)).write(to: URL(fileURLWithPath: path + ".json"))
            }
            // Not `print`, which keeps lines back where the output is a pipe.
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

func readText(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
}

func writeText(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
}

/// What stands on the command line behind the verb: names with their values.
private struct Options {
    let folder: String
    private let values: [String: String]

    init(_ arguments: [String]) throws {
        guard arguments.count % 2 == 0 else { throw WrongUse("expected pairs of --name and value") }
        var values: [String: String] = [:]
        for index in stride(from: 0, to: arguments.count, by: 2) { values[arguments[index]] = arguments[index + 1] }
        guard let folder = values["--folder"] else { throw WrongUse("--folder is missing") }
        self.folder = folder
        self.values = values
    }

    subscript(name: String) -> String {
        get throws {
            guard let value = values[name] else { throw WrongUse("\(name) is missing") }
            return value
        }
    }

    func number(_ name: String) throws -> Int {
        guard let number = Int(try self[name]), number > 0 else { throw WrongUse("\(name) is no number from 1 up") }
        return number
    }

    var keySeconds: Int? { values["--key-seconds"].flatMap { Int($0) } }
    var clip: String? { values["--clip"] }
}

/// The command line was not as it should be, or what it names.
struct WrongUse: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
