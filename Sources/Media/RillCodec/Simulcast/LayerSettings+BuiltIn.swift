import RillCore

// The built-in encoder: libvpx. All other code in this folder only knows encoders by their protocol.

extension LayerSettings {
    /// Creates libvpx's encoder for this layer.
    ///
    /// - Throws: ``CodecError``; `unsupportedCodec` if libvpx does not have the codec.
    func makeBuiltInEncoder(firstPass: FirstPassStatistics?) throws(CodecError) -> VPXEncoder {
        try VPXEncoder(
            encoder, layer: StreamLayer(rid: rid), resolution: resolution, frameRate: frameRate, bitrate: bitrate,
            firstPass: firstPass)
    }

    /// Creates libvpx's first pass over the frames of this layer.
    func makeBuiltInFirstPass() throws(CodecError) -> VPXFirstPass {
        try VPXFirstPass(encoder, resolution: resolution, frameRate: frameRate, bitrate: bitrate)
    }
}
