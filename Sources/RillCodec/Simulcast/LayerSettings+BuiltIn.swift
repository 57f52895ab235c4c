import RillCore

// The encoder that Rill brings: libvpx. All else in this folder knows encoders by their protocol alone.

extension LayerSettings {
    /// libvpx's encoder of this layer.
    ///
    /// - Throws: ``CodecError``; `unsupportedCodec` of one that libvpx has not.
    func makeBuiltInEncoder(firstPass: FirstPassStatistics?) throws(CodecError) -> VPXEncoder {
        try VPXEncoder(
            encoder, layer: StreamLayer(rid: rid), resolution: resolution, frameRate: frameRate, bitrate: bitrate,
            firstPass: firstPass)
    }

    /// libvpx's first pass over the frames of this layer.
    func makeBuiltInFirstPass() throws(CodecError) -> VPXFirstPass {
        try VPXFirstPass(encoder, resolution: resolution, frameRate: frameRate, bitrate: bitrate)
    }
}
