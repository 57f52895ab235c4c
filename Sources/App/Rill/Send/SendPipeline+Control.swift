public import RillBeauty
public import RillCodec
public import RillCore
public import RillFaces

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

    // Faces: those that the beauty filter finds, and those that the app gives.

    /// The faces that the beauty filter knows, in pixels of the upright picture (the one that ``SendTaps/preprocessed``
    /// receives): found by it, or given. Small movements do not change them; empty while beauty is off.
    public var faces: [FaceRegion] { state.withLock { $0.counts.faces } }

    /// Why faces are not searched for although ``SendSettings/faces`` asks for it; `nil` if they are, or if beauty was
    /// never on.
    public var faceFailure: FaceCascadeError? {
        guard case .failure(let error) = state.withLock({ $0.faces }) else { return nil }
        return error
    }

    /// Gives all faces of a picture, found by a detector of the app: see ``/RillBeauty/BeautyFilter/giveFaces(_:)``.
    ///
    /// ```swift
    /// pipeline.giveFaces(detector.faces(in: picture), at: picture.captureTime)
    /// ```
    ///
    /// They count from the next frame on. The call does not wait for a picture in progress. Ignored if later ones were
    /// given before, if the next frame is captured more than a second later, or while beauty is off.
    ///
    /// - Parameters:
    ///   - faces: squares in pixels of the upright picture; any numbers. The first four count; an empty list says that
    ///     there is none.
    ///   - time: the capture time of the picture that they were found in.
    public func giveFaces(_ faces: [FaceRegion], at time: MediaTime) {
        // A list of its own: the thread sanitizer does not see the end of a shared one.
        let faces = faces.prefix(FaceRegion.greatestCount).map(\.self)
        state.withLock { state in
            guard state.givenTime.map({ time >= $0 }) ?? true else { return }
            (state.given, state.givenTime) = (faces, time)
        }
    }

    /// The cascade in use.
    var cascade: FaceCascade? {
        guard case .success(let cascade) = state.withLock({ $0.faces }) else { return nil }
        return cascade
    }

    /// Reads the cascade if `options` need one and none was read yet.
    func prepareFaces(for options: BeautyOptions) {
        guard !options.isOff, state.withLock({ $0.faces == nil }) else { return }
        let faces = settings.faces.outcome
        let isFirst = state.withLock { state in
            defer { state.faces = state.faces ?? faces }
            return state.faces == nil
        }
        if isFirst, case .failure(let error) = faces { report(.unavailable(error)) }
    }

    /// What happens to faces.
    enum FaceEvent {
        /// They changed noticeably; empty if there is none anymore.
        case found([FaceRegion])
        /// They are not searched for.
        case unavailable(FaceCascadeError)
    }

    typealias FaceObserver = @Sendable (FaceEvent) -> Void

    /// Reports events of faces to `observer` from now on, on the thread of the frames, with no lock held.
    func observeFaces(_ observer: @escaping FaceObserver) {
        faceObserver.withLock { $0 = observer }
        if let faceFailure { observer(.unavailable(faceFailure)) }
    }

    func report(_ event: FaceEvent) { faceObserver.withLock { $0 }?(event) }
}

extension SendPipeline.State {
    /// Returns the face processing of a frame. Given faces count once.
    mutating func takeRequest(at time: MediaTime) -> FramePreparation.Request {
        var request = FramePreparation.Request(options: beauty)
        if case .success(let cascade) = faces { request.cascade = cascade }
        if let given, let givenTime {
            // The app chose the time: the difference of any two may overflow.
            let (age, isOverflow) = time.nanoseconds.subtractingReportingOverflow(givenTime.nanoseconds)
            if !isOverflow, age <= MediaDuration.seconds(1).nanoseconds { request.given = given }
        }
        given = nil
        return request
    }
}
