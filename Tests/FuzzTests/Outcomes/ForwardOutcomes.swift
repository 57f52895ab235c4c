@testable import RillForward

enum ForwardEventOutcome: String, OutcomeKind {
    case sectionsRejected, connected, firstPicture, layerChanged, paused, slotChanged, speakerChanged, codecUnavailable,
        layerUnwanted, layerWanted, overloadChanged, stopped, unreadable
    case resumed
    case left, replaced, evicted, failed, circuitBroken, streamEnded, closed

    init(_ event: ForwardEvent) {
        self =
            switch event {
            case .sectionsRejected: .sectionsRejected
            case .connected: .connected
            case .firstPicture: .firstPicture
            case .unreadable: .unreadable
            case .layerChanged: .layerChanged
            case .paused: .paused
            case .slotChanged: .slotChanged
            case .speakerChanged: .speakerChanged
            case .codecUnavailable: .codecUnavailable
            case .layerUnwanted: .layerUnwanted
            case .layerWanted: .layerWanted
            case .overloadChanged: .overloadChanged
            case .stopped: .stopped
            case .resumed: .resumed
            case .ended(_, .left): .left
            case .ended(_, .replaced): .replaced
            case .ended(_, .evicted): .evicted
            case .ended(_, .failed): .failed
            case .ended(_, .circuitBroken): .circuitBroken
            case .ended(_, .streamEnded): .streamEnded
            case .ended(_, .closed): .closed
            }
    }
}

/// What became of a packet of a publisher's sound.
enum SoundOutcome: String, OutcomeKind {
    case forwarded, tooManyBytes, tooManyPackets

    init(_ outcome: PublishedSound.Outcome) {
        self =
            switch outcome {
            case .forwarded: .forwarded
            case .tooManyBytes: .tooManyBytes
            case .tooManyPackets: .tooManyPackets
            }
    }
}

/// The quota that refused a session.
enum QuotaOutcome: String, OutcomeKind {
    case bearerSessions, addressSessions, bearerStreams, addressStreams, streamViewers

    init(_ quota: ForwardQuota) {
        self =
            switch quota {
            case .bearerSessions: .bearerSessions
            case .addressSessions: .addressSessions
            case .bearerStreams: .bearerStreams
            case .addressStreams: .addressStreams
            case .streamViewers: .streamViewers
            }
    }
}
