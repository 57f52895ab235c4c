public import RillCore
public import RillRTP

/// Why a ``VideoCall`` cannot do something.
public enum CallError: Error, Equatable, Sendable {
    /// We have left already.
    case isOver
    /// They send no layer of that name.
    case noSuchLayer(StreamLayer.RID, sent: [StreamLayer.RID])
    /// The layer has a sink already.
    case layerIsShown(StreamLayer.RID)
    /// What was said of their streams cannot be received.
    case invalidDescription(StreamDescriptionError)
    /// Somebody of this call is at that address already, over the same transport.
    case addressInUse(UDPAddress)
    /// One direction has a key and the other has none: something would go in the clear though keys were given.
    case halfProtected(sending: Bool, receiving: Bool)
    /// The call has no keys that could change.
    case notProtected
    /// Their description says that packets are protected (SAVP), and has no key.
    case noKeyDescribed
}

extension CallError: CustomStringConvertible {
    /// One sentence for whoever asked for it.
    public var description: String {
        switch self {
        case .isOver: "the call is over"
        case .noSuchLayer(let layer, let sent):
            "they send no layer \(layer): \(sent.isEmpty ? "none at all" : sent.map(\.description).joined(separator: ", "))"
        case .layerIsShown(let layer): "the layer \(layer) is shown already: hide it first"
        case .invalidDescription(let error): "their stream cannot be received: \(error)"
        case .addressInUse(let address):
            "somebody of this call is at \(address) already: packets could not be told apart"
        case .halfProtected(let sending, _):
            "a key for what \(sending ? "we" : "they") send and none for what \(sending ? "they" : "we") send: give both, or none"
        case .notProtected: "the call has no keys, so none can change"
        case .noKeyDescribed: "their description says SAVP, and has no a=crypto: the key is missing"
        }
    }
}
