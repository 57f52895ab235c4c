import RillPeer
import RillRTP
import RillSecurity

enum PeerResultOutcome: String, OutcomeKind {
    case ice, dtls, held, media, passed, dropped

    init(_ result: PeerInsertResult) {
        self =
            switch result {
            case .ice: .ice
            case .dtls: .dtls
            case .held: .held
            case .passed: .passed
            case .media: .media
            case .dropped: .dropped
            }
    }
}

enum PeerDropOutcome: String, OutcomeKind {
    case noKeys, refused, early, noRole, unknownProtocol, closed

    init(_ reason: PeerDropReason) {
        self =
            switch reason {
            case .noKeys: .noKeys
            case .refused: .refused
            case .early: .early
            case .noRole: .noRole
            case .unknownProtocol: .unknownProtocol
            case .closed: .closed
            }
    }
}

enum PortOutcome: String, OutcomeKind {
    case peer, unvalidatedAddress, malformed, noUsername, unknownUsername, unexpected

    init(_ result: PeerPortResult) {
        self =
            switch result {
            case .peer: .peer
            case .dropped(.unvalidatedAddress): .unvalidatedAddress
            case .dropped(.malformed): .malformed
            case .dropped(.noUsername): .noUsername
            case .dropped(.unknownUsername): .unknownUsername
            case .dropped(.unexpected): .unexpected
            }
    }
}

enum ICEOutcome: String, OutcomeKind {
    case data, early, answered, answeredNomination, refused, confirmed, confirmedRepetition, declined, keepalive
    case unvalidatedAddress, replayed, malformed, unsupportedMethod, wrongFingerprint, unauthenticated, wrongUsername
    case wrongIntegrity, unknownTransaction, asymmetric, unknownSocket, tooManyPairs, failed

    init(_ result: ICEInsertResult) {
        self =
            switch result {
            case .data: .data
            case .early: .early
            case .answered(let nominates): nominates ? .answeredNomination : .answered
            case .refused: .refused
            case .confirmed(let time): time == nil ? .confirmedRepetition : .confirmed
            case .declined: .declined
            case .keepalive: .keepalive
            case .dropped(let reason): ICEOutcome(reason)
            }
    }

    private init(_ reason: ICEDropReason) {
        self =
            switch reason {
            case .unvalidatedAddress: .unvalidatedAddress
            case .replayed: .replayed
            case .malformed: .malformed
            case .unsupportedMethod: .unsupportedMethod
            case .wrongFingerprint: .wrongFingerprint
            case .unauthenticated: .unauthenticated
            case .wrongUsername: .wrongUsername
            case .wrongIntegrity: .wrongIntegrity
            case .unknownTransaction: .unknownTransaction
            case .asymmetric: .asymmetric
            case .unknownSocket: .unknownSocket
            case .tooManyPairs: .tooManyPairs
            case .failed: .failed
            }
    }
}

enum STUNProblem: String, OutcomeKind {
    case truncated, notSTUN, invalidLength, attributeTruncated, invalidAttribute, attributeAfterFingerprint

    init(_ error: STUNError) {
        self =
            switch error {
            case .truncated: .truncated
            case .notSTUN: .notSTUN
            case .invalidLength: .invalidLength
            case .attributeTruncated: .attributeTruncated
            case .invalidAttribute: .invalidAttribute
            case .attributeAfterFingerprint: .attributeAfterFingerprint
            }
    }
}

enum DTLSOutcome: String, OutcomeKind {
    case taken, notDTLS, tooLarge, ended

    init(_ result: DTLSInsertResult) {
        self =
            switch result {
            case .taken: .taken
            case .notDTLS: .notDTLS
            case .tooLarge: .tooLarge
            case .ended: .ended
            }
    }
}

enum UnprotectedOutcome: String, OutcomeKind {
    case rtp, rtcp, replayed, tooOld, authenticationFailed, malformed, notEncrypted, unknownKey, ownSource
    case tooManySources, keyExpired, notRTP, failed

    init(_ outcome: UnprotectOutcome) {
        self =
            switch outcome {
            case .unprotected(let kind, _): kind == .rtp ? .rtp : .rtcp
            case .replayed: .replayed
            case .tooOld: .tooOld
            case .authenticationFailed: .authenticationFailed
            case .malformed: .malformed
            case .notEncrypted: .notEncrypted
            case .unknownKey: .unknownKey
            case .ownSource: .ownSource
            case .tooManySources: .tooManySources
            case .keyExpired: .keyExpired
            case .notRTP: .notRTP
            case .failed: .failed
            }
    }
}

enum UnknownProtocolOutcome: String, OutcomeKind {
    case rtp, rtcp, stun, zrtp, dtls, turnChannel, unknown

    init(_ kind: DatagramKind) {
        self =
            switch kind {
            case .rtp: .rtp
            case .rtcp: .rtcp
            case .stun: .stun
            case .zrtp: .zrtp
            case .dtls: .dtls
            case .turnChannel: .turnChannel
            case .unknown: .unknown
            }
    }
}

enum PeerEventOutcome: String, OutcomeKind {
    case new, connecting, connected, disconnected, failedState, closed
    case streamsChanged, failed, ice, warning, keysAgreed, session

    init(_ event: PeerEvent) {
        self =
            switch event {
            case .stateChanged(_, to: .new): .new
            case .stateChanged(_, to: .connecting): .connecting
            case .stateChanged(_, to: .connected): .connected
            case .stateChanged(_, to: .disconnected): .disconnected
            case .stateChanged(_, to: .failed): .failedState
            case .stateChanged(_, to: .closed): .closed
            case .streamsChanged: .streamsChanged
            case .failed: .failed
            case .ice: .ice
            case .warning: .warning
            case .keysAgreed: .keysAgreed
            case .session: .session
            }
    }
}

enum ICEEventOutcome: String, OutcomeKind {
    case stateChanged, selectedPathChanged, peerReflexiveDiscovered, roleChanged, consentLost, checksFailed
    case internalError

    init(_ event: ICEEvent) {
        self =
            switch event {
            case .stateChanged: .stateChanged
            case .selectedPathChanged: .selectedPathChanged
            case .peerReflexiveDiscovered: .peerReflexiveDiscovered
            case .roleChanged: .roleChanged
            case .consentLost: .consentLost
            case .checksFailed: .checksFailed
            case .internalError: .internalError
            }
    }
}

enum PeerFailure: String, OutcomeKind {
    case negotiation, ice, dtls, security, session, stream, nothingAccepted, noPath, consentLost, timedOut, closed
    case internalError

    init(_ error: PeerError) {
        self =
            switch error {
            case .negotiation: .negotiation
            case .ice: .ice
            case .dtls: .dtls
            case .security: .security
            case .session: .session
            case .stream: .stream
            case .nothingAccepted: .nothingAccepted
            case .noPath: .noPath
            case .consentLost: .consentLost
            case .timedOut: .timedOut
            case .closed: .closed
            case .internalError: .internalError
            }
    }
}
