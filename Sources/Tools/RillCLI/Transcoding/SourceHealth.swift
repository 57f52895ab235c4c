import Rill
import RillContainers
import RillCore
import RillTranscode

/// What could not be decoded, over all readings of the clip. Any thread.
final class SourceHealth: Sendable {
    private struct State: ~Copyable {
        var framesSkipped = 0
        var packetsRejected = 0
        var picturesConcealed = 0
        var missing: MediaDuration?
        var truncation: Truncation?
        var ranges: Set<ColorSpace.Range> = []
        /// The end of the last picture.
        var endTime: MediaTime?
        /// The sizes after the first, in order.
        var furtherSizes: [Resolution] = []
        /// Frames repeated and dropped for a constant rate.
        var repeated = 0
        var dropped = 0
        var firstFailure: String?
    }

    private let state = Monitor(State())

    /// A remark if the pictures end before the clip: the clip may be truncated, or its sound may be longer.
    var remark: String? { state.withLock { $0.truncation == nil ? $0.missing.map(Self.text(ofMissing:)) : nil } }

    /// A description of the conversion of the color range; `nil` if there was none.
    var conversion: String? {
        state.withLock { state in
            guard state.ranges.contains(.full) else { return nil }
            return "full to limited range" + (state.ranges.count > 1 ? ", in some of the pictures" : "")
        }
    }

    /// When the last picture ends, if the clip stores that and was read to its end.
    var endTime: MediaTime? { state.withLock { $0.endTime } }

    /// Sizes of pictures other than the first one's, in order; at most eight are recorded.
    var furtherSizes: [Resolution] { state.withLock { $0.furtherSizes } }

    private static func text(ofMissing missing: MediaDuration) -> String {
        "the pictures end \(missing) before the clip's stated end"
    }

    /// What a constant rate has changed; `nil` if nothing.
    var rateChange: String? {
        state.withLock { state in
            guard state.repeated + state.dropped > 0 else { return nil }
            return "\(state.repeated) frames repeated and \(state.dropped) dropped for a constant rate"
        }
    }

    /// Records the frames that a constant rate repeated and dropped. All readings of a clip have the same.
    func note(repeated: Int, dropped: Int) { state.withLock { ($0.repeated, $0.dropped) = (repeated, dropped) } }

    /// The number of missing frames.
    var framesSkipped: Int { state.withLock { $0.framesSkipped } }

    /// What is missing and why; `nil` if nothing is.
    var failure: String? {
        state.withLock { state in
            let cut = state.truncation.map { cut in
                "\(cut)" + (state.missing.map { "; \(Self.text(ofMissing: $0))" } ?? "")
            }
            let reasons = [cut, Self.damage(state)].compactMap(\.self)
            return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
        }
    }

    private static func damage(_ state: borrowing State) -> String? {
        guard let first = state.firstFailure else {
            return state.picturesConcealed > 0
                ? "damaged pictures, concealed by the decoder: \(state.picturesConcealed)" : nil
        }
        return state.framesSkipped > 0
            ? "\(state.framesSkipped) frames could not be decoded; reason for the first: \(first)"
            : "\(state.packetsRejected) packets could not be decoded; reason for the first: \(first)"
    }

    /// Records that a file is shorter than its header says.
    func note(_ truncation: Truncation?) { state.withLock { $0.truncation = truncation } }

    /// Records a color range.
    func note(_ range: ColorSpace.Range) { _ = state.withLock { $0.ranges.insert(range) } }

    /// Records a size that differs from that of the clip.
    func note(furtherSize size: Resolution) {
        state.withLock { state in
            guard state.furtherSizes.count < 8, !state.furtherSizes.contains(size) else { return }
            state.furtherSizes.append(size)
        }
    }

    /// Records the failures of a source that was read to its end. All readings of a clip have the same failures.
    func note(_ source: any FrameSource) {
        state.withLock { state in
            if let decoded = source as? DecodedSource, let failure = decoded.firstFailure {
                state.framesSkipped = max(state.framesSkipped, decoded.framesSkipped)
                state.firstFailure = state.firstFailure ?? "\(failure)"
            }
            if let container = source as? ContainerSource, let refusal = container.firstRejection {
                state.packetsRejected = max(state.packetsRejected, container.packetsRejected)
                state.firstFailure = state.firstFailure ?? refusal
            }
            if let container = source as? ContainerSource {
                state.picturesConcealed = max(state.picturesConcealed, container.picturesConcealed)
                state.missing = container.missingDuration ?? state.missing
                state.endTime = [state.endTime, container.endTime].compactMap(\.self).max()
            }
        }
    }
}

/// A source whose failures are recorded when it ends.
final class WatchedSource: FrameSource {
    private let source: any FrameSource
    private let health: SourceHealth
    private let resolution: Resolution
    private var range: ColorSpace.Range?

    init(_ source: any FrameSource, _ health: SourceHealth, _ resolution: Resolution) {
        self.resolution = resolution
        self.source = source
        self.health = health
    }

    var format: SourceFormat { source.format }

    func next() throws -> SourceOutput {
        do {
            let output = try source.next()
            if case .frame(let frame) = output, frame.resolution != resolution {
                health.note(furtherSize: frame.resolution)
            }
            switch output {
            case .frame(let frame) where frame.colorSpace.range != range:
                range = frame.colorSpace.range
                health.note(frame.colorSpace.range)
            case .end: health.note(source)
            case .frame, .noBuffer, .pending: break
            }
            return output
        } catch {
            health.note(source)
            throw error
        }
    }
}

/// A source with a constant rate whose changes are recorded when it ends.
final class RateWatchedSource: FrameSource {
    private let source: ConstantRateSource
    private let health: SourceHealth

    init(_ source: ConstantRateSource, _ health: SourceHealth) {
        self.source = source
        self.health = health
    }

    var format: SourceFormat { source.format }

    func next() throws -> SourceOutput {
        let output = try source.next()
        if case .end = output { health.note(repeated: source.framesRepeated, dropped: source.framesDropped) }
        return output
    }
}

/// What was missing in the part of a clip that was read.
struct InputHealth {
    private let source: any FrameSource
    private let path: String?
    private let health = SourceHealth()

    /// The health of `source`, which reads all or the start of the clip at `path` (`nil` for a scene or a camera).
    init(_ source: any FrameSource, of path: String?) {
        self.source = source
        self.path = path
    }

    /// What is missing and why, after reading; `nil` if nothing is. Truncation of a file counts only if it was read to
    /// its end.
    ///
    /// - Parameter wasReadToItsEnd: whether the source or its duration limit ended the reading, not the user.
    func failure(wasReadToItsEnd: Bool) -> String? {
        let timed = source as? TimedSource
        health.note(timed?.wrapped ?? source)
        let isCut = wasReadToItsEnd && timed?.isTimeOver != true && (timed?.wrapped ?? source) is ContainerSource
        if isCut { health.note(path.flatMap { Truncation(ofFile: $0) }) }
        return health.failure
    }

    /// Further remarks for the user.
    var remarks: [String] { [health.remark].compactMap(\.self) }
}
