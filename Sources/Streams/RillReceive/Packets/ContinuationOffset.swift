import RillRTP

extension FrameFormat {
    /// ``continuationOffset(_:)``, which runs for every packet. VP8's is inlined here: Swift 6.3 inlines public
    /// functions of another module, and no package ones.
    @inline(__always)
    func offset(ofContinuation payload: Span<UInt8>) throws(RTPError) -> Int? {
        guard case .vp8 = self else { return try continuationOffset(payload) }
        let (startsFrame, offset) = try VP8PayloadDescriptor.skim(payload)
        return startsFrame ? nil : offset
    }
}
