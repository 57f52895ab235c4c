import RillCodec

// The decoder that Rill brings: libvpx. All else in this folder knows decoders by their protocol alone.

extension ReceiveSettings {
    /// libvpx's decoder of this stream.
    ///
    /// - Throws: ``CodecError``; `unsupportedCodec` of one that libvpx has not.
    func makeBuiltInDecoder() throws(CodecError) -> VPXDecoder {
        try VPXDecoder(
            codec, poolCapacity: pictureCapacity, threadCount: decoderThreadCount,
            maximumPixelCount: maximumPixelCount, damagePolicy: damagePolicy, postProcessing: postProcessing)
    }
}
