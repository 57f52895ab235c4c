public import RillCore
public import RillSecurity

/// Something that happened in a ``VideoCall``. Each is told once, in the order in which it happened to its participant.
public enum CallEvent: Sendable {
    /// The first packet came from them; with keys, the first genuine one.
    case joined(CallParticipant)
    /// No packet of any kind has come from them for ``VideoCallSettings/interruptedAfter``.
    case interrupted(CallParticipant)
    /// No packet of any kind has come for ``VideoCallSettings/lostAfter``. What comes later is still taken.
    case lost(CallParticipant)
    /// Packets come again, after so long a silence.
    case reconnected(CallParticipant, after: MediaDuration)
    /// They said that they leave, and why if they said so.
    case left(CallParticipant, reason: String?)
    /// Their packets come from another address than before, and ours go there.
    case moved(CallParticipant, from: UDPAddress?, to: UDPAddress)
    /// So many of their packets could not be opened, and none could, for that reason: they have another key.
    case unprotectFailed(CallParticipant, UnprotectOutcome, count: Int)

    /// The first picture of a layer was decoded: its size, and how long after it was asked for.
    case firstPicture(CallParticipant, StreamLayer.RID, Resolution, after: MediaDuration)
    /// A picture of another size than the one before was decoded.
    case sizeChanged(CallParticipant, StreamLayer.RID, Resolution)
    /// The first picture of another layer than before is shown in their sequence (``CallParticipant/show(on:_:)``).
    case layerChanged(CallParticipant, from: StreamLayer.RID?, to: StreamLayer.RID)
    /// This layer is wanted of them from now on; `nil` for none. They were asked for it where they follow that (RFC 7728): an app has to
    /// signal it only where they do not.
    case wanted(CallParticipant, StreamLayer.RID?)
    /// The network does not carry the layer that is wanted, for that reason: a smaller one is taken for a while.
    case fellBack(CallParticipant, from: StreamLayer.RID, to: StreamLayer.RID, because: CallParticipant.FallbackReason)
    /// The layer that is wanted is tried again.
    case recovered(CallParticipant, to: StreamLayer.RID)
    /// They send no pictures of this layer for a while.
    case muted(CallParticipant, StreamLayer.RID)
    /// They send pictures of it again.
    case unmuted(CallParticipant, StreamLayer.RID)
    /// The layer's source has said that it ends.
    case ended(CallParticipant, StreamLayer.RID)
    /// A sink of theirs has thrown: the layer is not shown any more.
    case sinkFailed(CallParticipant, StreamLayer.RID, any Error)

    /// Our source has given its last frame.
    case sourceEnded
    /// Our source has failed: no frame comes any more, until there is another source.
    case sourceFailed(any Error)
    /// An encoder or a tap has failed: nothing is sent any more.
    case sendingFailed(any Error)
    /// A transport can receive no more.
    case transportFailed(any Error)
    /// What the call has been through so far, every ``VideoCallSettings/statisticsInterval``.
    case statistics(CallStatistics)
    /// We have left; nothing follows.
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
            "\(them.name): \(smaller) in place of \(layer): \(reason)"
        case .recovered(let them, let layer): "\(them.name): \(layer) is tried again"
        case .muted(let them, let layer): "\(them.name)'s \(layer) layer is muted"
        case .unmuted(let them, let layer): "\(them.name)'s \(layer) layer is unmuted"
        case .ended(let them, let layer): "\(them.name)'s \(layer) layer has ended"
        case .sinkFailed(let them, let layer, let error): "\(them.name)'s \(layer) layer is not shown: \(error)"
        case .sourceEnded: "the source has ended"
        case .sourceFailed(let error): "the source has failed: \(error)"
        case .sendingFailed(let error): "nothing is sent any more: \(error)"
        case .transportFailed(let error): "nothing is received any more: \(error)"
        case .statistics(let statistics): "\(statistics)"
        case .over: "the call is over"
        }
    }
}
