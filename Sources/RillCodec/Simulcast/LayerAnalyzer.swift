public import RillCore
import RillImage

/// The first pass of a layer that is coded in two: gets the frames and tasks that the ``LayerEncoder`` will get, and brings
/// them to the layer's size as that does. One owner, one thread at a time.
public final class LayerAnalyzer {
    private let pass: VPXFirstPass
    private let scaler: LayerScaler

    /// Makes the first pass.
    public init(_ settings: LayerSettings) throws(CodecError) {
        try settings.validate()
        pass = try settings.makeBuiltInFirstPass()
        scaler = try LayerScaler(of: settings)
    }

    /// Looks at one frame.
    public func add(_ frame: VideoFrame) throws(CodecError) {
        guard frame.format == .i420 else { throw .unsupportedFormat(frame.format) }
        guard let scaled = scaler.fitted(frame) else {
            preconditionFailure("the scaled frame of the task before is still in use")
        }
        try pass.add(scaled)
    }

    /// What was found. Called once, after the last frame.
    public func finish() throws(CodecError) -> FirstPassStatistics { try pass.finish() }
}
