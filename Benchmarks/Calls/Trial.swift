import Rill
import RillLab
import RillLink
import RillReceive

/// A call to make, one line of JSON on standard input.
struct Job: Codable {
    var network: String
    var returnNetwork: String?
    var seed: UInt64
    /// Whether to use encoders and decoders.
    var usesCodecs: Bool?
    /// Whether feedback is off: the receiver's reports are lost, and it sends no NACKs.
    var isOpenLoop: Bool?
    /// Whether the same layers are sent in the other direction, too; their results are not reported.
    var isTwoWay: Bool?
    var disturbance: Disturbance?
    /// A file for the packets that arrive at the receiver.
    var capture: String?
}

/// The result of a call, one line of JSON on standard output.
struct CallResult: Codable {
    var layers: [LayerResult]
    /// The sum of the mean delays of both directions; in tenths of a millisecond, like all times.
    var roundTripTime: Int
    /// The datagrams sent in each direction; their bytes without UDP and IP headers.
    var sent: [Int]
    var bytes: [Int]
}

/// Makes calls, one after the other.
final class Trial {
    private let coded: CodedLayers
    /// The pictures for calls with codecs; read for the first of these calls.
    private lazy var pictures = Result { try Pictures(clip: clip) }
    private let clip: String?
    private let seconds: Int
    private let layers: [LayerSettings]

    init(folder: String, seconds: Int, keySeconds: Int?, clip: String?) throws {
        coded = try CodedLayers(in: folder, keySeconds: keySeconds)
        self.clip = clip
        self.seconds = seconds
        layers = Layers.settings(keySeconds: keySeconds)
    }

    /// Makes the call, and also returns its log.
    func run(_ job: Job) throws -> (CallResult, CallLog) {
        var settings = CallSettings(layers: layers, network: try LinkSettings(notation: job.network).seeded(job.seed))
        if let network = job.returnNetwork {
            settings.returnNetwork = try LinkSettings(notation: network).seeded(job.seed)
        }
        settings.isOpenLoop = job.isOpenLoop ?? false
        let log = CallLog()
        if let path = job.capture { log.capture = try LinkCapture(path: path) }
        let simulation = CallSimulation(settings, observer: log)
        var errors = coded.errors
        var nacks = [Int](repeating: 0, count: layers.count)
        if job.usesCodecs ?? false {
            errors = try runWithCodecs(simulation, log)
        } else {
            let answer = job.isTwoWay ?? false ? (layers: coded.clips, observer: CallLog() as any CallObserver) : nil
            nacks = try simulation.run(sending: coded.clips, answer: answer).map(\.nackCount)
        }
        try log.capture?.finish()
        var results = layers.indices.map { index in
            log.result(
                layer: index, interval: layers[index].frameRate.interval, errors: errors[index],
                disturbed: job.disturbance)
        }
        for index in results.indices { results[index].nacks = nacks[index] }
        let result = CallResult(
            layers: results, roundTripTime: tenths(log.path.meanDelay + log.returnPath.meanDelay),
            sent: [log.path.sent, log.returnPath.sent], bytes: [log.path.bytes, log.returnPath.bytes])
        return (result, log)
    }

    /// - Returns: the mean squared error of each shown frame.
    private func runWithCodecs(_ simulation: CallSimulation, _ log: CallLog) throws -> [[Double]] {
        let pictures = try pictures.get()
        var references: [References] = []
        for layer in layers { references.append(try References(pictures.source(seconds: seconds), of: layer)) }
        var errors = layers.map { _ in [Double](repeating: 0, count: 30 * seconds) }
        try simulation.run(encoding: pictures.source(seconds: seconds)) { index, _, picture in
            guard let (place, _) = log.layers[index].shown.last else { return }
            let time = log.layers[index].frames[place].captureTime
            errors[index][place] = try references[index].error(of: picture, capturedAt: time)
        }
        return errors
    }
}
