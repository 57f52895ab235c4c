@_exported public import RillWireFuzzTargets

extension FuzzTarget {
    /// Every target.
    public static let all =
        wire + [
            FuzzTarget("coded-frame", seeds: codedFrameSeeds, run: fuzzCodedFrame),
            FuzzTarget("restorer", seeds: restorerSeeds, run: fuzzRestorer),
            FuzzTarget("session", seeds: sessionSeeds, run: fuzzSession),
            FuzzTarget("delivery-trace", seeds: deliveryTraceSeeds, run: fuzzDeliveryTrace),
            FuzzTarget("sdp-offer", seeds: offerSeeds, run: fuzzOffer),
            FuzzTarget("whip", seeds: whipSeeds, run: fuzzWHIP),
            FuzzTarget("stun", seeds: stunSeeds, run: fuzzSTUN),
            FuzzTarget("ice", seeds: iceSeeds, run: fuzzICE),
            FuzzTarget("dtls", seeds: dtlsSeeds, run: fuzzDTLS),
            FuzzTarget("sframe", seeds: sframeSeeds, run: fuzzSFrame),
            FuzzTarget("peer", seeds: peerSeeds, run: fuzzPeer),
            FuzzTarget("rtpdump", seeds: rtpDumpSeeds, run: fuzzCapture),
            FuzzTarget("pcap", seeds: pcapSeeds, run: fuzzCapture),
        ]
}
