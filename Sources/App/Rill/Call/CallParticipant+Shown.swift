public import RillCore
import RillRTP
import RillReceive
import RillSession

// The layers that a participant sends, and which of them are shown.

extension CallParticipant {
    /// The layers that the participant sends, from their description.
    public var layers: [StreamLayer.RID] { streams.indices.map(streams.layerName) }

    /// The sections (`mid`) of ``layers``; `nil` for one without a section.
    package var receivedMids: [String?] { streams.map(\.mid) }

    // MARK: One sequence

    /// Sets which layer their sequence (``show(on:_:)``) shows; by default the first one of their description, usually
    /// the high one.
    ///
    /// The layer is shown from its first key frame, which arrives about a round trip and a frame later. Until then
    /// the previous layer is shown. No picture is repeated or goes back in time. If the network does not carry the
    /// layer, a smaller one is shown meanwhile (``VideoCallSettings/fallback``).
    ///
    /// - Parameter layer: a layer, an automatic choice for a display size, or none.
    /// - Throws: ``CallError/noSuchLayer(_:sent:)``.
    public func want(_ layer: WantedLayer) throws(CallError) {
        let want: LayerChoice.Want =
            switch layer {
            case .none: .none
            case .automatic(let size): .automatic(shownAt: size)
            case .layer(let rid): .layer(try index(of: rid))
            }
        let now = clock.now
        let told = state.withLock { state in
            state.choice.want(want, at: now)
            return applyChoice(&state, at: now)
        }
        if let told { emit(told) }
        wakePoller()
    }

    /// Shows the participant as one sequence of pictures, from the wanted layer. The picture size differs from layer
    /// to layer.
    ///
    /// - Parameters:
    ///   - sink: receives the pictures, with rising capture times. It belongs to the decoding thread from now on, and
    ///     is finished when the sequence is no longer shown.
    ///   - adjust: changes how each layer is received, for example `{ $0.pictureCapacity = 12 }`.
    /// - Throws: ``PipelineError``, or ``CallError``: `layerIsShown` if the participant is already shown, layer by
    ///   layer or in a sequence.
    public func show(
        on sink: sending any FrameSink, _ adjust: (inout ReceiveSettings) -> Void = { _ in }
    ) throws {
        guard !streams.isEmpty else { throw CallError.noSuchLayer(.high, sent: []) }
        let settings = try streams.indices.map { try receiveSettings($0, adjust) }
        let view = try ParticipantView(layerCount: streams.count, sink: sink) { layer, sink in
            try makeLayer(layer, settings[layer], sink: sink)
        }
        let now = clock.now
        try state.withLock { (state) throws in
            guard !state.isLeaving else { throw CallError.isOver }
            if state.view != nil || !state.shown.isEmpty { throw CallError.layerIsShown(layers[0]) }
            for layer in streams.indices { try use(settings[layer], of: layer, &state, at: now) }
            state.view = view
            applyNeeds(&state, at: now)
        }
        wakePoller()
    }

    /// Shows the participant as one asynchronous sequence, from the wanted layer. Only the newest picture is kept
    /// until the caller takes it. The sequence ends when it is no longer shown.
    ///
    /// - Returns: the pictures.
    /// - Throws: as ``show(on:_:)``.
    public func pictures() throws -> AsyncStream<VideoFrame> {
        let (stream, continuation) = AsyncStream.makeStream(of: VideoFrame.self, bufferingPolicy: .bufferingNewest(1))
        try show(on: AwaitedPictures(continuation))
        return stream
    }

    /// Stops showing the sequence. The decoding thread finishes its sink soon after.
    public func hide() {
        let now = clock.now
        state.withLock { state in
            guard let view = state.view else { return }
            state.view = nil
            state.hiddenViews.append(view)
            applyNeeds(&state, at: now)
        }
        wakePoller()
    }

    // MARK: Layer by layer

    /// Shows a layer from its next key frame, which is requested. ``want(_:)`` does not affect it.
    ///
    /// - Parameters:
    ///   - layer: the layer.
    ///   - sink: receives the pictures. It belongs to the decoding thread from now on, and is finished when the layer
    ///     is no longer shown.
    ///   - adjust: changes how the layer is received, for example `{ $0.pictureCapacity = 12 }`.
    /// - Throws: ``PipelineError``, or ``CallError/noSuchLayer(_:sent:)``, ``CallError/layerIsShown(_:)``,
    ///   ``CallError/isOver``.
    public func show(
        _ layer: StreamLayer.RID, on sink: sending any FrameSink, _ adjust: (inout ReceiveSettings) -> Void = { _ in }
    ) throws {
        let index = try index(of: layer)
        let settings = try receiveSettings(index, adjust)
        let made = try makeLayer(index, settings, sink: sink)
        let now = clock.now
        try state.withLock { (state) throws in
            guard !state.isLeaving else { throw CallError.isOver }
            guard state.shown[index] == nil, state.view == nil else { throw CallError.layerIsShown(layer) }
            try use(settings, of: index, &state, at: now)
            state.shown[index] = made
            applyNeeds(&state, at: now)
        }
        wakePoller()
    }

    /// Shows a layer as an asynchronous sequence. Only the newest picture is kept until the caller takes it. The
    /// sequence ends when the layer is no longer shown.
    ///
    /// - Parameter layer: the layer.
    /// - Returns: the pictures.
    /// - Throws: as ``show(_:on:_:)``.
    public func pictures(of layer: StreamLayer.RID) throws -> AsyncStream<VideoFrame> {
        let (stream, continuation) = AsyncStream.makeStream(of: VideoFrame.self, bufferingPolicy: .bufferingNewest(1))
        try show(layer, on: AwaitedPictures(continuation))
        return stream
    }

    /// Stops showing a layer that is shown by itself. The decoding thread finishes its sink soon after.
    public func hide(_ layer: StreamLayer.RID) {
        let now = clock.now
        state.withLock { state in
            guard let index = layers.firstIndex(of: layer), let shown = state.shown.removeValue(forKey: index) else {
                return
            }
            state.hidden.append(shown)
            applyNeeds(&state, at: now)
        }
        wakePoller()
    }

    // MARK: Streams

    private func receiveSettings(
        _ layer: Int, _ adjust: (inout ReceiveSettings) -> Void = { _ in }
    ) throws -> ReceiveSettings {
        var settings: ReceiveSettings
        do throws(StreamDescriptionError) { settings = try ReceiveSettings(streams[layer], ssrc: SSRC(0)) } catch {
            throw CallError.invalidDescription(error)
        }
        settings.encryption = sendSettings.encryption
        adjust(&settings)
        return settings
    }

    private func makeLayer(
        _ layer: Int, _ settings: ReceiveSettings, sink: sending any FrameSink
    ) throws -> ShownLayer {
        let decoder: StreamDecoder
        do throws(CodecError) { decoder = try StreamDecoder(settings, sink: sink) } catch {
            throw PipelineError.codec(error)
        }
        // Handed over, and no longer used here.
        nonisolated(unsafe) let made = decoder
        return ShownLayer(streams.layerName(layer), unsafe made, settings.observer)
    }

    /// Receives a layer with these settings, from its next key frame.
    private func use(
        _ settings: ReceiveSettings, of layer: Int, _ state: inout State, at now: MediaTime
    ) throws {
        if let id = state.receiving[layer] {
            session.look { $0.change(settings.stream, of: id, at: now) }
        } else {
            state.receiving[layer] = try session.look { try $0.receive(settings.stream, at: now) }
        }
    }

    private func index(of layer: StreamLayer.RID) throws(CallError) -> Int {
        guard let index = layers.firstIndex(of: layer) else { throw .noSuchLayer(layer, sent: layers) }
        return index
    }
}

extension [StreamDescription] {
    /// The name of a layer. A stream without a RID is named by its place: the first is the high layer.
    func layerName(_ index: Int) -> StreamLayer.RID {
        if let name = self[index].rid.flatMap({ StreamLayer.RID(validating: $0) }) { return name }
        let names: [StreamLayer.RID] = [.high, .low, .medium]
        return index < names.count ? names[index] : StreamLayer.RID(validating: "s\(index)") ?? .high
    }

    /// The sizes of the layers: as described; otherwise the size of our layer of the same name; otherwise a usual
    /// one.
    func layerSizes(like own: [LayerSettings]) -> [Resolution] {
        indices.map { index in
            let limits = self[index].limits
            if let width = limits.width, let height = limits.height,
                let size = Resolution(validatingWidth: width, height: height)
            {
                return size
            }
            let same = own.first { $0.rid == layerName(index) }
            return same?.resolution ?? (index == 0 ? .vga : LayerSettings.low.resolution)
        }
    }
}
