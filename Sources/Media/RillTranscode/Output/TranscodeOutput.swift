public import RillCodec
public import RillCore

/// An output of a transcode.
public enum TranscodeOutput {
    /// The layer's coded frames.
    case encoded(LayerSettings, any EncodedFrameSink)
    /// The layer's pictures: cropped, scaled and decimated, but not coded.
    case pictures(LayerSettings, any FrameSink)
    /// The source's pictures in their own sizes, decimated to the layer's rate.
    case wholePictures(LayerSettings, any FrameSink)

    /// The settings of the pictures.
    public var layer: LayerSettings {
        switch self {
        case .encoded(let layer, _), .pictures(let layer, _), .wholePictures(let layer, _): layer
        }
    }
}
