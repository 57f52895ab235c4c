public import RillCore
import RillImage

/// The first pass of a layer that is encoded in two passes. It gets the same frames as the ``LayerEncoder``, and
/// scales them in the same way. One owner, one thread at a time.
public final class LayerAnalyzer {
    private let pass: VPXFirstPass
    private let scaler: LayerScaler

    /// Creates the first pass.
    public init(_ settings: LayerSettings) throws(CodecError) {
        try settings.validate()
        pass = try settings.makeBuiltInFirstPass()
        scaler = try LayerScaler(of: settings)
    }

    /// Analyzes one frame.
    public func add(_ frame: VideoFrame) throws(CodecError) {
        guard frame.format == .i420 else { throw .unsupportedFormat(frame.format) }
        guard let scaled = scaler.fitted(frame) else {
            preconditionFailure("the scaled frame of the task before is still in use")
        }
        try pass.add(scaled)
    }

    /// Returns the statistics. Called once, after the last frame.
    public func finish() throws(CodecError) -> FirstPassStatistics { try pass.finish() }
}
