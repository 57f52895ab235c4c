import RillCodec

// The built-in decoder: libvpx. Everything else in this folder knows decoders only by their protocol.

extension ReceiveSettings {
    /// Creates libvpx's decoder for this stream.
    ///
    /// - Throws: ``/RillCodec/CodecError``; `unsupportedCodec` for one that libvpx does not have.
    func makeBuiltInDecoder() throws(CodecError) -> VPXDecoder {
        try VPXDecoder(
            codec, poolCapacity: pictureCapacity, threadCount: decoderThreadCount,
            maximumPixelCount: maximumPixelCount, damagePolicy: damagePolicy, postProcessing: postProcessing)
    }
}
