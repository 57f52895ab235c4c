public import RillCore

// What a congestion control says to the encoders.

extension SendPipeline {
    /// Why a frame is left out before it is encoded.
    public enum SkipReason: Sendable, Equatable {
        /// More waits in the pacer than it may hold.
        case queueFull
        /// More is in flight than the path needs.
        case windowFull
    }

    /// Sets what a network carries of the layers' encoded frames together, from their next frames on; `nil` ends it.
    ///
    /// Unlike ``setTotalBitrate(_:)``, which only splits a bitrate, this makes layers follow it in every way:
    ///
    /// - The smallest layer is kept alive first. A layer that got no share returns with a key frame once the bitrate
    ///   has sufficed for two seconds.
    /// - A layer whose pictures would become too coarse gives up size or rate
    ///   (``/RillCodec/AdaptationSettings/preference``), within a second of a deep cut, and gets them back slowly.
    ///   Without ``SendSettings/adaptation`` it keeps both.
    /// - Encoders limit single frames (``/RillCore/EncoderSettings/burstLimit``, 120 ms): key frames, the first of a
    ///   scene, and those after a cut of the bitrate.
    ///
    /// The same bitrate again costs nothing. Call it with every new estimate, less everything else on the path
    /// (`RateBudget` of RillCongestion). While it is set, the total of ``setTotalBitrate(_:)`` has no effect.
    ///
    /// - Parameters:
    ///   - bitrate: the bitrate of all encoded frames together, in the mean, without headers.
    ///   - next: the bitrate of the next frames, if packets wait that have to leave first. It makes frames smaller,
    ///     those of the largest layer first, to 30 % at least; it switches no layer off and changes no size.
    public func setNetworkBitrate(_ bitrate: Bitrate?, next: Bitrate? = nil) {
        state.withLock { $0.decisions.setNetwork(bitrate, next: next) }
    }

    /// Leaves out the next frame that a layer would encode, because packets wait to be sent. It is counted in
    /// ``SendStatistics/framesSkipped``.
    ///
    /// Requests stay for the frame after it. A layer slower than its source takes the source's next frame instead, so
    /// that it keeps its rate. To leave out several frames, call it before each.
    ///
    /// - Parameters:
    ///   - rid: the layer.
    ///   - reason: the reason to count.
    public func skipNextFrame(_ rid: StreamLayer.RID, because reason: SkipReason) {
        state.withLock { $0.decisions.skipNextFrame(layer: index(of: rid), because: reason) }
    }

    /// Makes the next frames of the layer with the highest bitrate smaller than their share, by coding them more
    /// coarsely: the first by half of the bytes, and the four after it by about as much together. A frame keeps at
    /// least a quarter of its share. The request replaces an earlier one that was not served yet.
    ///
    /// - Parameter byteCount: how many bytes too much wait to be sent; zero takes the request back.
    public func reduceNextFrames(by byteCount: Int) {
        state.withLock { $0.decisions.reduceNextFrames(by: byteCount) }
    }

    /// Requests a key frame on one layer, as ``requestKeyFrame(_:)`` does, and leaves out the frames that still wait
    /// for the layer's encoder: what was sent before the key frame is not needed any more.
    ///
    /// - Parameters:
    ///   - rid: the layer.
    ///   - isDiscardingOlder: whether to leave out older frames. They are counted in ``SendStatistics/framesSkipped``.
    public func requestKeyFrame(_ rid: StreamLayer.RID, discardingOlder isDiscardingOlder: Bool) {
        state.withLock { state in
            if isDiscardingOlder {
                state.decisions.requestKeyFrameDiscardingOlder(layer: index(of: rid))
            } else {
                state.decisions.requestKeyFrame(layer: index(of: rid))
            }
        }
    }
}
