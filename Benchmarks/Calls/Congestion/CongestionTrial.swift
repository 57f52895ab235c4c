import Arguments
import Clips
import Foundation
import Rill
import RillCodec
import RillFiles
import RillImage
import RillLab
import RillLink
import RillSession

/// A call with encoders and decoders whose bitrate follows an emulated network, in virtual time.
enum CongestionTrial {
    /// Makes a call, and prints a line of JSON.
    static func run(_ name: String, seed: UInt64, clip path: String) throws {
        guard let trial = CongestionCase.all.first(where: { $0.name == name }) else {
            throw WrongUse("no case \(name): \(CongestionCase.all.map(\.name).joined(separator: ", "))")
        }
        let source = try LoopedClip(path: path, seconds: trial.seconds)
        let layers = [LayerSettings.high(source.format.resolution, bitrate: .kilobits(2300)), .low]
        var settings = CallSettings(
            layers: layers, network: try LinkSettings(notation: trial.forward).seeded(seed))
        settings.returnNetwork = try LinkSettings(notation: trial.back).seeded(seed + 1000)
        settings.congestion = CongestionSettings(bitrates: .kilobits(30) ... .kilobits(2500))
        settings.encodeTime = .milliseconds(10)
        settings.decodeTime = .milliseconds(5)
        let log = CongestionLog()
        try CallSimulation(settings, observer: log).run(encoding: source) { _, _, _ in }
        let result = log.result(trial, seed: seed, errors: [[], []])
        print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
    }
}

/// A clip that is repeated from its start.
private final class LoopedClip: FrameSource {
    let format: SourceFormat
    private let path: String
    private let count: Int
    private var number = 0
    private var reader: Y4MReader

    init(path: String, seconds: Int) throws {
        self.path = path
        reader = try Y4MReader(path: path, capacity: 16)
        count = 30 * seconds
        format = reader.format
    }

    func next() throws -> SourceOutput {
        guard number < count else { return .end }
        var result = try reader.next()
        if case .end = result {
            reader = try Y4MReader(path: path, capacity: 16)
            result = try reader.next()
        }
        guard case .frame(var frame) = result else { return result }
        frame.captureTime = FrameRate(30).time(ofFrame: number)
        frame.timestamps = FrameTimestamps()
        frame.isDiscontinuity = number == 0
        number += 1
        return .frame(frame)
    }
}
