public import RillBeauty
public import RillCodec
public import RillCore

// Control at run time.

extension SendPipeline {
    /// The statistics of each layer, in the order of the layers. Those of its stream are its sender's
    /// (``PacketSender/statistics``, ``CallStatistics``), and zero here.
    public var statistics: [SendStatistics] {
        layers.indices.map { index in
            var statistics = layers[index].statistics
            let (limitation, target) = state.withLock { state in
                (state.decisions.limitation(layer: index), state.decisions.targetBitrate(layer: index))
            }
            statistics.qualityLimitationReason = limitation.reason
            statistics.qualityLimitationResolutionChanges = limitation.resolutionChanges
            statistics.qualityLimitationDurations = limitation.durations
            statistics.targetBitrate = target.bitsPerSecond
            statistics.framesSkipped = limitation.skipped
            return statistics
        }
    }

    /// Frames that were captured in full range and converted to limited range, which all layers are encoded in.
    public var framesConverted: Int { state.withLock { $0.counts.framesConverted } }

    /// Frames that were not sent because there was no buffer to convert, rotate or filter them into: a tap holds too
    /// many.
    public var picturesWithoutBuffer: Int { state.withLock { $0.counts.picturesWithoutBuffer } }

    /// The face processing before pictures are split into layers.
    public var beauty: BeautyOptions { state.withLock { $0.beauty } }

    /// Changes the face processing, from the next frame on; ``RillBeauty/BeautyOptions/off`` switches it off.
    ///
    /// A change fades in over eight frames; none is dropped or repeated. The call does not wait for a picture in
    /// progress. The first call in a process that switches beauty on reads the installed cascade
    /// (``SendSettings/faces``), which takes some tens of milliseconds.
    public func setBeauty(_ options: BeautyOptions) {
        prepareFaces(for: options)
        state.withLock { $0.beauty = options }
    }

    /// The statistics of the beauty filter, and its current level.
    public var beautyStatistics: BeautyStatistics { state.withLock { $0.counts.beauty } }

    /// Requests a key frame on one layer. That layer's next frame is a key frame; other layers are not affected.
    public func requestKeyFrame(_ rid: StreamLayer.RID) {
        state.withLock { $0.decisions.requestKeyFrame(layer: index(of: rid)) }
    }

    /// Does the same for a layer by its index.
    package func requestKeyFrame(layer index: Int) {
        state.withLock { $0.decisions.requestKeyFrame(layer: index) }
    }

    /// Changes the settings of one layer from its next frame on.
    ///
    /// Bitrate, frame rate, size (with a key frame on this layer only), aspect, content, speed and all else can
    /// change, except the RID, the codec and the temporal pattern, which the packets carry.
    ///
    /// ```swift
    /// try pipeline.change(.high) { $0.resolution = Resolution(width: 640, height: 360) }
    /// ```
    ///
    /// - Parameters:
    ///   - rid: the layer.
    ///   - body: changes the settings. It is called again with the newer settings if another thread changed them
    ///     meanwhile.
    /// - Throws: ``/RillCodec/CodecError/invalidSettings(_:)``; the settings then stay unchanged.
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

    /// Sets the target bitrate of one layer, from its next frame on.
    ///
    /// - Parameters:
    ///   - bitrate: 1 kbit/s to 1 Gbit/s.
    ///   - rid: the layer.
    /// - Throws: ``/RillCodec/CodecError/invalidSettings(_:)``; the target then stays unchanged.
    public func setBitrate(_ bitrate: Bitrate, of rid: StreamLayer.RID) throws(CodecError) {
        try change(rid) { $0.bitrate = bitrate }
    }

    /// Limits the total bitrate of all layers, from their next frames on; `nil` removes the limit.
    ///
    /// ``/RillCodec/BitrateAllocator`` splits it. No layer gets more than its own bitrate, the smallest is kept alive
    /// first, and one that gets no share pauses until there is one again.
    public func setTotalBitrate(_ total: Bitrate?) {
        state.withLock { $0.decisions.setTotal(total) }
    }

    /// Restarts one layer's encoder with its next frame, which is a key frame. Use it if the codec seems faulty.
    public func restartEncoder(_ rid: StreamLayer.RID) {
        state.withLock { $0.decisions.requestRestart(layer: index(of: rid)) }
    }

    /// Switches one layer on or off. After it is switched on, it starts with a key frame.
    public func setActive(_ isActive: Bool, _ rid: StreamLayer.RID) {
        state.withLock { $0.decisions.setActive(isActive, layer: index(of: rid)) }
    }

    func index(of rid: StreamLayer.RID) -> Int {
        guard let index = layers.firstIndex(where: { $0.settings.rid == rid }) else {
            preconditionFailure("there is no layer \(rid)")
        }
        return index
    }
}
