public import RillCore
import RillRTP
import RillReceive
import RillSession

// What they send, and what of it is shown.

extension CallParticipant {
    /// The layers that they send, as their description says.
    public var layers: [StreamLayer.RID] { streams.indices.map(streams.layerName) }

    // MARK: One sequence

    /// Which layer they are shown by in one sequence (``show(on:_:)``): the high one, or whichever they describe first, where nothing was
    /// said.
    ///
    /// The layer is shown from its first key frame on, which comes a round trip and a picture after this, and the one before until then;
    /// no picture comes twice or goes back in time. Where the network does not carry it, a smaller one is shown meanwhile
    /// (``VideoCallSettings/fallback``).
    ///
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

    /// Shows them as one sequence of pictures, by the layer that is wanted; sizes differ from layer to layer.
    ///
    /// - Parameters:
    ///   - sink: gets the pictures, whose capture times rise; it belongs to the decoding thread from now on. It is finished when they are
    ///     no longer shown.
    ///   - adjust: changes how each layer is received: `{ $0.pictureCapacity = 12 }`.
    /// - Throws: ``PipelineError``, or ``CallError``: `layerIsShown` where they are shown already, layer by layer or in a sequence.
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

    /// Shows them as one sequence, by the layer that is wanted. Of pictures that nobody has taken yet only the newest is kept. It ends
    /// when they are no longer shown.
    ///
    /// - Throws: as ``show(on:_:)``.
    public func pictures() throws -> AsyncStream<VideoFrame> {
        let (stream, continuation) = AsyncStream.makeStream(of: VideoFrame.self, bufferingPolicy: .bufferingNewest(1))
        try show(on: AwaitedPictures(continuation))
        return stream
    }

    /// Shows the sequence no longer. Its sink is finished, soon, by the decoding thread.
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

    /// Shows a layer from its next key frame on, which is asked for, whatever is wanted of the sequence.
    ///
    /// - Parameters:
    ///   - sink: gets the pictures; it belongs to the decoding thread from now on. It is finished when the layer is no longer shown.
    ///   - adjust: changes how the layer is received: `{ $0.pictureCapacity = 12 }`.
    /// - Throws: ``PipelineError``, or ``CallError/noSuchLayer(_:sent:)``, ``CallError/layerIsShown(_:)``, ``CallError/isOver``.
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

    /// Shows a layer as a sequence. Of pictures that nobody has taken yet only the newest is kept. It ends when the layer is no
    /// longer shown.
    ///
    /// - Throws: as ``show(_:on:_:)``.
    public func pictures(of layer: StreamLayer.RID) throws -> AsyncStream<VideoFrame> {
        let (stream, continuation) = AsyncStream.makeStream(of: VideoFrame.self, bufferingPolicy: .bufferingNewest(1))
        try show(layer, on: AwaitedPictures(continuation))
        return stream
    }

    /// Shows a layer no longer, where it is shown by itself. Its sink is finished, soon, by the decoding thread.
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

    /// Has all of their layers known to the session from the start, so that those which are not shown are asked to pause with their first
    /// packet. Of a description that cannot be received, who wants to show it hears.
    func receiveAll() {
        let now = clock.now
        state.withLock { state in
            for layer in streams.indices {
                // Why not, `show` finds again and throws: who does not want to see this layer has a call all the same.
                let settings = try? receiveSettings(layer)
                state.receiving.append(
                    settings.flatMap { settings in
                        session.look { try? $0.receive(settings.stream, at: now) }
                    })
            }
            applyNeeds(&state, at: now)
        }
    }

    private func receiveSettings(
        _ layer: Int, _ adjust: (inout ReceiveSettings) -> Void = { _ in }
    ) throws -> ReceiveSettings {
        var settings: ReceiveSettings
        do throws(StreamDescriptionError) { settings = try ReceiveSettings(streams[layer], ssrc: SSRC(0)) } catch {
            throw CallError.invalidDescription(error)
        }
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
        // Handed over, and not used here any more.
        nonisolated(unsafe) let made = decoder
        return ShownLayer(streams.layerName(layer), unsafe made)
    }

    /// Receives a layer by these settings, from its next key frame on.
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
    /// What a layer is called: a stream without a name is told apart by its place: the first is the high one.
    func layerName(_ index: Int) -> StreamLayer.RID {
        if let name = self[index].rid.flatMap({ StreamLayer.RID(validating: $0) }) { return name }
        let names: [StreamLayer.RID] = [.high, .low, .medium]
        return index < names.count ? names[index] : StreamLayer.RID(validating: "s\(index)") ?? .high
    }

    /// The sizes of the layers: as described, else as those of ours of the same name, else as is usual.
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
