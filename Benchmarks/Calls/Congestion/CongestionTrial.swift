import Arguments
import Foundation
import Rill
import RillLab
import RillLink

/// A call with encoders and decoders whose bitrate follows an emulated network, in virtual time.
enum CongestionTrial {
    /// Makes a call, and prints a line of JSON.
    static func run(_ arguments: Arguments) throws {
        let (trial, seed) = (try CongestionCase(arguments), UInt64(try arguments.number("seed") ?? 1))
        let source = try LoopedClip(path: arguments["clip"], seconds: trial.seconds)
        var settings = CallSettings(
            layers: layers(of: source), network: try LinkSettings(notation: trial.forward).seeded(seed))
        settings.returnNetwork = try LinkSettings(notation: trial.back).seeded(seed + 1000)
        settings.congestion = congestion
        settings.encodeTime = .milliseconds(10)
        settings.decodeTime = .milliseconds(5)
        let log = CongestionLog(cuts: try ClipCuts(path: arguments["clip"]))
        try CallSimulation(settings, observer: log).run(encoding: source) { _, _, _ in }
        try print(log.result(trial, seed: seed))
    }

    static func layers(of source: LoopedClip) -> [LayerSettings] {
        [.high(source.format.resolution, bitrate: .kilobits(2300)), .low]
    }

    static var congestion: CongestionSettings { CongestionSettings(bitrates: .kilobits(30) ... .kilobits(2500)) }

    static func print(_ result: CongestionResult) throws {
        Swift.print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
    }
}

extension CongestionCase {
    /// The case that the arguments name, shortened if they ask for that.
    init(_ arguments: Arguments) throws {
        let name = try arguments["case"]
        guard let trial = CongestionCase.all.first(where: { $0.name == name }) else {
            throw WrongUse("no case \(name): \(CongestionCase.all.map(\.name).joined(separator: ", "))")
        }
        self = trial.limited(to: try arguments.number("seconds", atLeast: 4) ?? trial.seconds)
    }
}
