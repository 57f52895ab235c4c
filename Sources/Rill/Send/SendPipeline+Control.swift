public import RillBeauty
public import RillCodec
public import RillCore
public import RillRTP
import RillSession

// Control at run time: what the receiver asks for, and what the app changes.

extension SendPipeline {
    /// Takes an RTCP packet of the receiver. A key frame that it asks for comes with the layer's next frame; packets that
    /// it misses (generic NACK) are sent again to `packets`, as far as they are kept.
    public func receive(_ rtcp: Span<UInt8>, at now: MediaTime, retransmittingTo packets: some PacketSink) {
        session?.change(sendingTo: packets) { _ = $0.insert(rtcp, at: now) }
    }

    /// Sends the reports that are due.
    public func sendReports(at now: MediaTime, to packets: some PacketSink) {
        guard let session, nextReportTime(at: now) <= now else { return }
        // A session that only sends has no frames to decode.
        var nothing: [UInt8] = []
        _ = session.poll(at: now, into: &nothing, sendingTo: packets) { _ in }
    }

    /// When ``sendReports(at:to:)`` has something to do next, asked at `now`.
    public func nextReportTime(at now: MediaTime) -> MediaTime {
        max(now, session?.look { $0.nextPoll } ?? .distantFuture)
    }

    /// What each layer has sent, in the order of the layers.
    public var statistics: [SendStatistics] {
        layers.indices.map { index in
            var statistics = layers[index].statistics
            let limitation = state.withLock { $0.decisions.limitation(layer: index) }
            statistics.qualityLimitationReason = limitation.reason
            statistics.qualityLimitationResolutionChanges = limitation.resolutionChanges
            return statistics
        }
    }

    /// Frames that came in full range and were brought to limited range, in which all layers are coded.
    public var framesConverted: Int { state.withLock { $0.counts.framesConverted } }

    /// Frames that were not sent because there was no buffer to convert or turn them into, or to make them beautiful in: a
    /// tap keeps too many of them.
    public var picturesWithoutBuffer: Int { state.withLock { $0.counts.picturesWithoutBuffer } }

    /// What is done to faces before the pictures are split into layers.
    public var beauty: BeautyOptions { state.withLock { $0.beauty } }

    /// Changes what is done to faces, from the next frame on; ``RillBeauty/BeautyOptions/off`` switches it off. A change
    /// takes eight frames, none of which is dropped or repeated. It waits for no picture in work.
    public func setBeauty(_ options: BeautyOptions) {
        state.withLock { $0.beauty = options }
    }

    /// What the beauty filter has done, and at which level of its deadline.
    public var beautyStatistics: BeautyStatistics { state.withLock { $0.counts.beauty } }

    /// Asks for a key frame on one layer; it comes with that layer's next frame, and on no other layer.
    public func requestKeyFrame(_ rid: StreamLayer.RID) {
        state.withLock { $0.decisions.requestKeyFrame(layer: index(of: rid)) }
    }

    /// The same for a layer by its place.
    package func requestKeyFrame(layer index: Int) {
        state.withLock { $0.decisions.requestKeyFrame(layer: index) }
    }

    /// Changes the settings of one layer from its next frame on: bitrate, frame rate, size (with a key frame on this layer
    /// alone), aspect, content, speed and all else but its RID, its codec and its temporal pattern, which the packets bear.
    ///
    ///     try pipeline.change(.high) { $0.resolution = Resolution(width: 640, height: 360) }
    ///
    /// `body` is called once more with the newer settings where another thread changed them meanwhile.
    ///
    /// - Throws: ``CodecError/invalidSettings(_:)``; the settings then stay as they were.
    public func change(
        _ rid: StreamLayer.RID, _ body: (inout LayerSettings) -> Void
    ) throws(CodecError) {
        let index = index(of: rid)
        var isDone = false
        while !isDone {
            let old = state.withLock { $0.decisions.plan.settings[index] }
            var new = old
            body(&new)
            isDone = try state.withLock { (state) throws(CodecError) in
                guard state.decisions.plan.settings[index] == old else { return false }
                try state.decisions.change(layer: index) { $0 = new }
                return true
            }
        }
    }

    /// Sets the target of one layer's rate control from its next frame on, 1 kbit/s to 1 Gbit/s.
    ///
    /// - Throws: ``CodecError/invalidSettings(_:)``; the target then stays as it was.
    public func setBitrate(_ bitrate: Bitrate, of rid: StreamLayer.RID) throws(CodecError) {
        try change(rid) { $0.bitrate = bitrate }
    }

    /// Sets what all layers together may take, from their next frames on; `nil` takes the limit away.
    ///
    /// ``BitrateAllocator`` splits it: no layer gets more than its own bitrate, the smallest is kept alive first, and one
    /// that gets no share rests until there is one again.
    public func setTotalBitrate(_ total: Bitrate?) {
        state.withLock { $0.decisions.setTotal(total) }
    }

    /// Starts one layer's encoder anew with its next frame, which is a key frame: for a codec that is suspected of a fault.
    public func restartEncoder(_ rid: StreamLayer.RID) {
        state.withLock { $0.decisions.requestRestart(layer: index(of: rid)) }
    }

    /// Switches one layer on or off. Switched on, it starts with a key frame.
    public func setActive(_ isActive: Bool, _ rid: StreamLayer.RID) {
        state.withLock { $0.decisions.setActive(isActive, layer: index(of: rid)) }
    }

    /// The source identifier of one layer's stream, which the receiver has to know.
    public func ssrc(of rid: StreamLayer.RID) -> SSRC { layers[index(of: rid)].ssrc }

    /// What the receiver of one layer's stream has to know of it: ``ReceiveSettings/init(_:ssrc:)`` takes it as it is.
    public func stream(of rid: StreamLayer.RID) -> StreamDescription { layers[index(of: rid)].description }

    /// What the receivers of all streams have to know of them, in the order of the layers.
    public var streams: [StreamDescription] { layers.map(\.description) }

    func index(of rid: StreamLayer.RID) -> Int {
        guard let index = layers.firstIndex(where: { $0.settings.rid == rid }) else {
            preconditionFailure("there is no layer \(rid)")
        }
        return index
    }
}
