import Rill
import RillCore
import RillFiles

/// When another scene begins in a clip that is repeated.
struct ClipCuts {
    /// A frame that differs from the one before by this many times the usual difference begins a scene.
    private static let ratio = 5.0
    private var times: [Double] = [0]
    private var period = Double.infinity

    /// Looks at each picture of a clip with 30 frames a second.
    init(path: String) throws {
        let reader = try Y4MReader(path: path, capacity: 16)
        var before: [UInt8] = []
        var differences: [Double] = []
        while case .frame(let frame) = try reader.next() {
            let samples = Self.samples(of: frame)
            if !before.isEmpty {
                let sum = zip(samples, before).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
                differences.append(Double(sum) / Double(samples.count))
            }
            before = samples
        }
        guard !differences.isEmpty else { return }
        let limit = Self.ratio * differences.sorted()[differences.count / 2]
        for (index, difference) in differences.enumerated() where difference >= limit {
            times.append(Double(index + 1) / 30)
        }
        period = Double(differences.count + 1) / 30
    }

    private static func samples(of frame: VideoFrame) -> [UInt8] {
        let (width, height) = (frame.layout[plane: 0].width, frame.layout[plane: 0].height)
        return (0..<36).flatMap { row in
            let line = frame[plane: 0].row((2 * row + 1) * height / 72)
            return (0..<64).map { line[(2 * $0 + 1) * width / 128] }
        }
    }

    /// Whether a scene began in the second before.
    func isNear(_ time: MediaTime) -> Bool {
        let seconds = period.isFinite ? time.seconds.truncatingRemainder(dividingBy: period) : time.seconds
        return times.contains { seconds >= $0 && seconds < $0 + 1 }
    }
}
