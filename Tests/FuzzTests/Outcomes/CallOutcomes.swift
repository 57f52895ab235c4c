import Rill

enum CallEventOutcome: String, OutcomeKind {
    case joined, interrupted, lost, reconnected, left, moved, unprotectFailed
    case firstPicture, sizeChanged, layerChanged, wanted, fellBack, recovered, sendingStopped
    case sendingResumed, rateFeedbackChanged, reduced, restored, muted, unmuted, ended, sinkFailed
    case opened, unopened
    case facesChanged, facesUnavailable, sourceEnded, sourceFailed, sendingFailed, transportFailed, statistics, over

    init(_ event: CallEvent) {
        self =
            switch event {
            case .joined: .joined
            case .interrupted: .interrupted
            case .lost: .lost
            case .reconnected: .reconnected
            case .left: .left
            case .moved: .moved
            case .unprotectFailed: .unprotectFailed
            case .firstPicture: .firstPicture
            case .sizeChanged: .sizeChanged
            case .layerChanged: .layerChanged
            case .wanted: .wanted
            case .fellBack: .fellBack
            case .recovered: .recovered
            case .sendingStopped: .sendingStopped
            case .sendingResumed: .sendingResumed
            case .rateFeedbackChanged: .rateFeedbackChanged
            case .reduced: .reduced
            case .restored: .restored
            case .muted: .muted
            case .unmuted: .unmuted
            case .ended: .ended
            case .sinkFailed: .sinkFailed
            case .opened: .opened
            case .unopened: .unopened
            case .facesChanged: .facesChanged
            case .facesUnavailable: .facesUnavailable
            case .sourceEnded: .sourceEnded
            case .sourceFailed: .sourceFailed
            case .sendingFailed: .sendingFailed
            case .transportFailed: .transportFailed
            case .statistics: .statistics
            case .over: .over
            }
    }
}
