import RillRTP
import RillReceive
import RillSend
import RillSession

enum SessionOutcome: String, OutcomeKind {
    case media, repairOnly, feedback, other, unknownSource, contradictory, ownSource, malformed

    init(_ result: SessionInsertResult) {
        self =
            switch result {
            case .media(of: _, nil): .repairOnly
            case .media: .media
            case .feedback: .feedback
            case .other: .other
            case .unknownSource: .unknownSource
            case .contradictory: .contradictory
            case .ownSource: .ownSource
            case .malformed: .malformed
            }
    }
}

enum BufferOutcome: String, OutcomeKind {
    case queued, queuedAfterOverflow, padding, duplicate, late, onProbation, inconsistent, oversized, wrongSSRC
    case wrongPayloadType, malformed

    init(_ result: InsertResult) {
        self =
            switch result {
            case .queued: .queued
            case .queuedAfterOverflow: .queuedAfterOverflow
            case .padding: .padding
            case .duplicate: .duplicate
            case .late: .late
            case .onProbation: .onProbation
            case .inconsistent: .inconsistent
            case .oversized: .oversized
            case .wrongSSRC: .wrongSSRC
            case .wrongPayloadType: .wrongPayloadType
            case .malformed: .malformed
            }
    }
}

/// Why bytes are refused: of RTP, and of RTCP (the harness parses what it sends).
enum WireProblem: String, OutcomeKind {
    case truncated, unsupportedVersion, invalidPadding, invalidExtension, invalidExtensionID, invalidPlayoutDelay
    case misplacedPadding, invalidBitrate, reservedPacketStatus, emptyPayload, missingPictureID, tooManyReferences
    case invalidReference, notProtected, recoveryIncomplete, notRestored, bufferTooSmall, unexpectedPacketType
    case invalidCount

    init(_ error: RTPError) {
        self =
            switch error {
            case .truncated: .truncated
            case .unsupportedVersion: .unsupportedVersion
            case .invalidPadding: .invalidPadding
            case .invalidExtension: .invalidExtension
            case .invalidExtensionID: .invalidExtensionID
            case .invalidPlayoutDelay: .invalidPlayoutDelay
            case .misplacedPadding: .misplacedPadding
            case .invalidBitrate: .invalidBitrate
            case .reservedPacketStatus: .reservedPacketStatus
            case .emptyPayload: .emptyPayload
            case .missingPictureID: .missingPictureID
            case .tooManyReferences: .tooManyReferences
            case .invalidReference: .invalidReference
            case .notProtected: .notProtected
            case .recoveryIncomplete: .recoveryIncomplete
            case .notRestored: .notRestored
            case .bufferTooSmall: .bufferTooSmall
            case .unexpectedPacketType: .unexpectedPacketType
            case .invalidCount: .invalidCount
            }
    }
}

enum MessageOutcome: String, OutcomeKind {
    case senderReport, receiverReport, sourceDescription, goodbye, application, genericNACK, transportFeedback
    case congestionControlFeedback, pauseResume, pictureLossIndication, fullIntraRequest
    case receiverEstimatedMaximumBitrate, extendedReport, unknown

    init(_ message: borrowing RTCPMessage) {
        self =
            switch message {
            case .senderReport: .senderReport
            case .receiverReport: .receiverReport
            case .sourceDescription: .sourceDescription
            case .goodbye: .goodbye
            case .application: .application
            case .genericNACK: .genericNACK
            case .transportFeedback: .transportFeedback
            case .congestionControlFeedback: .congestionControlFeedback
            case .pauseResume: .pauseResume
            case .pictureLossIndication: .pictureLossIndication
            case .fullIntraRequest: .fullIntraRequest
            case .receiverEstimatedMaximumBitrate: .receiverEstimatedMaximumBitrate
            case .extendedReport: .extendedReport
            case .unknown: .unknown
            }
    }
}

enum SessionEventOutcome: String, OutcomeKind {
    case connected, interrupted, lost, reconnected, left, restarted, firstPicture, sizeChanged, layerChanged, muted
    case unmuted, ended, sendingStopped, sendingResumed, sourceChanged, packetsRequested, keyFrameRequested
    case pauseRequested, resumeRequested, collision
    case rateFeedbackChanged, maximumBitrateEstimated, transportFeedback, failed
    case keyFrameFeedback, keyFrameRepeatedFeedback, packetsFeedback, reportFeedback, malformedFeedback

    init(_ event: SessionEvent) {
        self =
            switch event {
            case .connected: .connected
            case .interrupted: .interrupted
            case .lost: .lost
            case .reconnected: .reconnected
            case .left: .left
            case .restarted: .restarted
            case .firstPicture: .firstPicture
            case .sizeChanged: .sizeChanged
            case .layerChanged: .layerChanged
            case .muted: .muted
            case .unmuted: .unmuted
            case .ended: .ended
            case .sourceChanged: .sourceChanged
            case .packetsRequested: .packetsRequested
            case .keyFrameRequested: .keyFrameRequested
            case .pauseRequested: .pauseRequested
            case .resumeRequested: .resumeRequested
            case .sendingStopped: .sendingStopped
            case .sendingResumed: .sendingResumed
            case .collision: .collision
            case .rateFeedbackChanged: .rateFeedbackChanged
            case .maximumBitrateEstimated: .maximumBitrateEstimated
            case .transportFeedback: .transportFeedback
            case .failed: .failed
            case .feedback(of: _, .keyFrameRequested): .keyFrameFeedback
            case .feedback(of: _, .keyFrameRequestRepeated): .keyFrameRepeatedFeedback
            case .feedback(of: _, .packetsRequested): .packetsFeedback
            case .feedback(of: _, .reported): .reportFeedback
            case .feedback(of: _, .malformed): .malformedFeedback
            }
    }
}

/// Why a circuit breaker opened.
enum CircuitBreakOutcome: String, OutcomeKind {
    case reportTimeout, mediaTimeout, congestion, unusable

    init(_ reason: CircuitBreak) {
        self =
            switch reason {
            case .reportTimeout: .reportTimeout
            case .mediaTimeout: .mediaTimeout
            case .congestion: .congestion
            case .unusable: .unusable
            }
    }
}
