public import RillBeauty
public import RillCore
public import RillRTP
public import RillSecurity
public import RillSession

/// An event of a ``VideoCall``.
///
/// Each is reported once. The events of one participant arrive in order.
public enum CallEvent: Sendable {
    /// The first packet of the participant arrived; with keys, the first authentic one.
    case joined(CallParticipant)
    /// No packet of any kind has arrived from the participant for ``/RillSession/SilenceTimeouts/interrupted``.
    case interrupted(CallParticipant)
    /// No packet of any kind has arrived for ``/RillSession/SilenceTimeouts/lost``. Later packets are still accepted.
    case lost(CallParticipant)
    /// Packets arrive again after a silence of this length.
    case reconnected(CallParticipant, after: MediaDuration)
    /// The participant announced that they leave, with the reason if they gave one; or our session with them has ended
    /// by an error of Rill's, which the reason names (`internal error: 1000 polls without progress`).
    case left(CallParticipant, reason: String?)
    /// The participant's packets arrive from a new address, and ours now go there.
    case moved(CallParticipant, from: UDPAddress?, to: UDPAddress)
    /// Not one packet of the participant could be opened, for that reason. `count` have failed so far: their key
    /// differs.
    case unprotectFailed(CallParticipant, UnprotectOutcome, count: Int)

    /// The first picture of a layer was decoded: its size, and the time since it was requested.
    case firstPicture(CallParticipant, StreamLayer.RID, Resolution, after: MediaDuration)
    /// A picture was decoded whose size differs from the previous one.
    case sizeChanged(CallParticipant, StreamLayer.RID, Resolution)
    /// The participant's sequence (``CallParticipant/show(on:_:)``) now shows another layer: its first picture is
    /// shown.
    case layerChanged(CallParticipant, from: StreamLayer.RID?, to: StreamLayer.RID)
    /// The layer that is now wanted from the participant; `nil` for none. They were asked for it if they support
    /// pause requests (RFC 7728). An app needs to signal it only if they do not.
    case wanted(CallParticipant, StreamLayer.RID?)
    /// The network does not carry the wanted layer, for that reason. A smaller one is shown for a while.
    case fellBack(CallParticipant, from: StreamLayer.RID, to: StreamLayer.RID, because: CallParticipant.FallbackReason)
    /// The wanted layer is tried again.
    case recovered(CallParticipant, to: StreamLayer.RID)
    /// A circuit breaker stopped a layer that is sent to the participant: nobody receives it, or the network is
    /// overloaded (RFC 8083).
    case sendingStopped(CallParticipant, CircuitBreak)
    /// A stopped layer is sent once more: the peer reports, or the path is another one.
    case sendingResumed(CallParticipant)
    /// The bitrate towards the participant follows other feedback than before. Receiver reports show less than feedback
    /// of each packet.
    case rateFeedbackChanged(CallParticipant, RateFeedback)
    /// The network of the participant carries much less than those of others: the participant is sent smaller layers
    /// only, and decides no longer for all. <doc:CongestionControl> tells from which bitrate on.
    case reduced(CallParticipant)
    /// The participant is sent all layers again.
    case restored(CallParticipant)
    /// The participant pauses this layer: it sends no pictures for a while.
    case muted(CallParticipant, StreamLayer.RID)
    /// The participant sends pictures of the layer again.
    case unmuted(CallParticipant, StreamLayer.RID)
    /// The layer's source announced its end.
    case ended(CallParticipant, StreamLayer.RID)
    /// Frames of a layer cannot be opened, for that reason: the keys of the end-to-end encryption differ, or the layer
    /// is not encrypted. No picture is shown until ``opened(_:_:)``.
    case unopened(CallParticipant, StreamLayer.RID, SFrameOpenOutcome)
    /// Frames of a layer can be opened: the first, or again.
    case opened(CallParticipant, StreamLayer.RID)
    /// The sink of a layer threw: the layer is no longer shown.
    case sinkFailed(CallParticipant, StreamLayer.RID, any Error)

    /// The faces that the beauty filter knows in our pictures have changed: one came or went, or moved by more than an
    /// eighth of its size. In pixels of the upright picture; empty if there is none anymore.
    case facesChanged([FaceRegion])
    /// Beauty is on, and does not know faces, for that reason: it goes by the colors of skin alone.
    case facesUnavailable(FaceCascadeError)
    /// Our source has delivered its last frame.
    case sourceEnded
    /// Our source failed. No frame follows until there is another source.
    case sourceFailed(any Error)
    /// An encoder or a tap failed: nothing is sent anymore.
    case sendingFailed(any Error)
    /// A transport failed and receives nothing anymore.
    case transportFailed(any Error)
    /// The call's statistics so far, every ``VideoCallSettings/statisticsInterval``.
    case statistics(CallStatistics)
    /// The call is over; no event follows.
    case over
}

extension CallEvent: CustomStringConvertible {
    /// A line for a log: `bob joined`.
    public var description: String {
        switch self {
        case .joined(let them): "\(them.name) joined"
        case .interrupted(let them): "\(them.name) is silent"
        case .lost(let them): "\(them.name) is lost"
        case .reconnected(let them, let silence): "\(them.name) is back after \(silence)"
        case .left(let them, let reason): "\(them.name) left\(reason.map { ": \($0)" } ?? "")"
        case .moved(let them, nil, let address): "\(them.name) is at \(address)"
        case .moved(let them, let old?, let address): "\(them.name) moved from \(old) to \(address)"
        case .unprotectFailed(let them, let outcome, let count):
            "\(count) packets of \(them.name) cannot be opened (\(outcome)): the keys differ"
        case .firstPicture(let them, let layer, let size, let delay):
            "first picture of \(them.name)'s \(layer) layer: \(size), after \(delay)"
        case .sizeChanged(let them, let layer, let size): "\(them.name)'s \(layer) layer is \(size) now"
        case .layerChanged(let them, _, let layer): "\(them.name) is shown by the \(layer) layer"
        case .wanted(let them, let layer): "\(layer.map { "the \($0) layer" } ?? "nothing") is wanted of \(them.name)"
        case .fellBack(let them, let layer, let smaller, let reason):
            "\(them.name): \(smaller) instead of \(layer): \(reason)"
        case .recovered(let them, let layer): "\(them.name): \(layer) is tried again"
        case .sendingStopped(let them, let reason): "nothing more is sent to \(them.name): \(reason)"
        case .sendingResumed(let them): "\(them.name) is sent to again"
        case .rateFeedbackChanged(let them, let feedback): "the bitrate to \(them.name) follows \(feedback)"
        case .reduced(let them): "\(them.name)'s network carries little: only small layers are sent"
        case .restored(let them): "\(them.name) is sent all layers again"
        case .muted(let them, let layer): "\(them.name)'s \(layer) layer is muted"
        case .unmuted(let them, let layer): "\(them.name)'s \(layer) layer is unmuted"
        case .ended(let them, let layer): "\(them.name)'s \(layer) layer has ended"
        case .unopened(let them, let layer, let reason): "\(them.name)'s \(layer) layer cannot be opened: \(reason)"
        case .opened(let them, let layer): "\(them.name)'s \(layer) layer can be opened"
        case .sinkFailed(let them, let layer, let error): "\(them.name)'s \(layer) layer is not shown: \(error)"
        case .facesChanged(let faces):
            "faces: " + (faces.isEmpty ? "none" : faces.map(\.description).joined(separator: ", "))
        case .facesUnavailable(let reason): "beauty without faces: \(reason)"
        case .sourceEnded: "the source has ended"
        case .sourceFailed(let error): "the source has failed: \(error)"
        case .sendingFailed(let error): "nothing is sent anymore: \(error)"
        case .transportFailed(let error): "nothing is received anymore: \(error)"
        case .statistics(let statistics): "\(statistics)"
        case .over: "the call is over"
        }
    }
}

/// Why a ``VideoCall`` cannot do something.
public enum CallError: Error, Equatable, Sendable {
    /// The call is over, or we have left the participant.
    case isOver
    /// The participant sends no layer of that name.
    case noSuchLayer(StreamLayer.RID, sent: [StreamLayer.RID])
    /// The layer already has a sink.
    case layerIsShown(StreamLayer.RID)
    /// The description of the participant's streams cannot be received.
    case invalidDescription(StreamDescriptionError)
    /// Another participant of this call already uses that address over the same transport.
    case addressInUse(UDPAddress)
    /// The address is that of the transport itself: our own packets would come back as theirs (RFC 3550 §8.2).
    case ownAddress(UDPAddress)
    /// One direction has a key and the other does not. Packets would go unencrypted although a key was given.
    case halfProtected(sending: Bool, receiving: Bool)
    /// The call has no keys, so none can change.
    case notProtected
    /// The participant's description announces protected packets (SAVP), but has no key.
    case noKeyDescribed
}

extension CallError: CustomStringConvertible {
    /// One sentence for the caller.
    public var description: String {
        switch self {
        case .isOver: "the call is over"
        case .noSuchLayer(let layer, let sent):
            "they send no layer \(layer): \(sent.isEmpty ? "none at all" : sent.map(\.description).joined(separator: ", "))"
        case .layerIsShown(let layer): "the layer \(layer) is already shown: hide it first"
        case .invalidDescription(let error): "their stream cannot be received: \(error)"
        case .addressInUse(let address):
            "another participant is already at \(address): their packets could not be told apart"
        case .ownAddress(let address):
            "\(address) is our own address: the other side's is needed, and our packets would come back as theirs"
        case .halfProtected(let sending, _):
            "a key for what \(sending ? "we" : "they") send and none for what \(sending ? "they" : "we") send: give both, or none"
        case .notProtected: "the call has no keys, so none can change"
        case .noKeyDescribed: "their description announces SAVP but has no a=crypto: the key is missing"
        }
    }
}
