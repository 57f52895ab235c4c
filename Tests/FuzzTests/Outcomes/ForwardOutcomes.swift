import RillForward

enum ForwardEventOutcome: String, OutcomeKind {
    case connected, firstPicture, layerChanged, left, replaced, failed, streamEnded, closed

    init(_ event: ForwardEvent) {
        self =
            switch event {
            case .connected: .connected
            case .firstPicture: .firstPicture
            case .layerChanged: .layerChanged
            case .ended(_, .left): .left
            case .ended(_, .replaced): .replaced
            case .ended(_, .failed): .failed
            case .ended(_, .streamEnded): .streamEnded
            case .ended(_, .closed): .closed
            }
    }
}
