public import RillCodec
public import RillCore

/// One thing that is made of the source.
public enum TranscodeOutput {
    /// The layer's coded frames.
    case encoded(LayerSettings, any EncodedFrameSink)
    /// The layer's pictures, cut, scaled and thinned out, but never coded.
    case pictures(LayerSettings, any FrameSink)
    /// The source's pictures as they are, whatever their sizes, thinned out to the layer's rate.
    case wholePictures(LayerSettings, any FrameSink)

    /// What the pictures are to be.
    public var layer: LayerSettings {
        switch self {
        case .encoded(let layer, _), .pictures(let layer, _), .wholePictures(let layer, _): layer
        }
    }
}
