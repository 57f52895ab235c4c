import RillCore

/// Counting of packets and frames.
extension InboundStatistics {
    /// Counts the outcome of a packet.
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

    /// Counts a frame that became complete.
    ///
    /// Always inlined, like other code that reads a few fields of a frame: a call would copy the frame.
    @inline(__always)
    mutating func noteComplete(_ frame: PendingFrame, at now: MediaTime) {
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
