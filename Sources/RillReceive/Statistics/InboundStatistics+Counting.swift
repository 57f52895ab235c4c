import RillCore

/// What becomes of packets and frames, as counts.
extension InboundStatistics {
    /// Counts what became of a packet.
    mutating func note(_ result: InsertResult) {
        switch result {
        case .queued, .queuedAfterOverflow, .padding: break
        case .duplicate: packetsDuplicated += 1
        case .late: packetsDiscarded += 1
        case .onProbation: packetsOnProbation += 1
        case .inconsistent, .oversized, .malformed: packetsRejected += 1
        case .wrongSSRC, .wrongPayloadType: foreignPackets += 1
        }
    }

    /// Counts a frame that became whole.
    ///
    /// Always inlined, as much that looks at a few fields of a frame: it would be copied for the call.
    @inline(__always)
    mutating func noteWhole(_ frame: PendingFrame, at now: MediaTime) {
        framesReceived += 1
        if frame.isRepaired { framesRepaired += 1 }
        if frame.isKey { keyFramesReceived += 1 }
        if frame.packetCount > 1 {
            framesAssembledFromMultiplePackets += 1
            totalAssemblyTime += now - frame.arrival
        }
    }

    /// Counts a frame that goes to the decoder.
    @inline(__always)
    mutating func noteRelease(
        _ frame: PendingFrame, isOvertaken: Bool, isLate: Bool, at now: MediaTime, targetDelay: MediaDuration
    ) {
        jitterBufferEmittedCount += 1
        if isLate && frame.isRepaired { framesRepairedLate += 1 }
        jitterBufferDelay += now - frame.arrival
        jitterBufferTargetDelay += targetDelay
        if isOvertaken { framesDecodedOnly += 1 }
    }
}
