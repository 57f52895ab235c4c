public import RillBeauty
public import RillCore

// Faces: those that the beauty filter finds, and those that the app gives.

extension SendPipeline {
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
