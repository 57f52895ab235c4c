public import RillCore
public import RillRTP

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
        case .halfProtected(let sending, _):
            "a key for what \(sending ? "we" : "they") send and none for what \(sending ? "they" : "we") send: give both, or none"
        case .notProtected: "the call has no keys, so none can change"
        case .noKeyDescribed: "their description announces SAVP but has no a=crypto: the key is missing"
        }
    }
}
