/// Outcomes that no peer can bring about, each with its proof. One that is reached all the same fails the run, as does
/// one that does not exist any more.
enum UnreachableOutcomes {
    static let all = Set(ours + peers + packets + calls)

    // Errors of Rill's: polls that never end. An input that leads to one fails the run at once (AttackReport).
    private static let ours = [
        "SessionEventOutcome.failed", "PeerFailure.internalError", "ICEEventOutcome.internalError",
        "TransportCounts.pollsWithoutProgress",
    ]

    private static let peers = [
        // Data is passed on to the connection, whose result it then has (PeerConnection.insert(_:on:at:),
        // PeerPort.insert).
        "ICEOutcome.data", "ICEOutcome.early",
        // Of connections whose media a driver holds (PeerPort.init(peerLimit:passesMedia:)).
        "PeerResultOutcome.passed",
        // A connection passes on what DatagramKind calls DTLS, which is the test that gives this result
        // (DTLSEndpoint.insert).
        "DTLSOutcome.notDTLS",
        // STUNMessage.matches has tested 20 bytes and the cookie before a message is parsed; its first byte is below 4.
        "STUNProblem.truncated", "STUNProblem.notSTUN",
        // These three kinds have cases of their own before the one that gives this reason
        // (PeerConnection.insert(data:at:)).
        "UnknownProtocolOutcome.rtp", "UnknownProtocolOutcome.rtcp", "UnknownProtocolOutcome.dtls",
        // Thrown to the app by calls that negotiate; PeerLink.fail has the others only.
        "PeerFailure.negotiation", "PeerFailure.ice", "PeerFailure.session", "PeerFailure.stream", "PeerFailure.closed",
        "PeerFailure.nothingAccepted",
        // Keys that OpenSSL has exported have the length of their profile. What is left is libsrtp without memory.
        "PeerFailure.security",
    ]

    private static let packets = [
        // 2^48 packets under one key.
        "UnprotectedOutcome.keyExpired", "UnprotectStatistics.keyExpired",
        // libsrtp fails without memory or with a broken cipher; for packets it has the codes that SRTPStatus knows.
        "UnprotectedOutcome.failed", "UnprotectStatistics.failed",
        // SRTP opens only RTP and RTCP, and leaves the two bytes that tell them apart as they are; a connection that is
        // closed does not ask its session. (In a call in the clear a session is given anything: CallAttack without a
        // key. CallLine drops the result.)
        "SessionOutcome.other",
        // A session parses compounds itself, and gives streams what was parsed: RTPSession.take(compound:at:).
        "SessionEventOutcome.malformedFeedback", "RTPStreamStatistics.malformedFeedback",
        // 2 MB of datagrams before the next poll: retransmissions have a budget, 64 inputs a batch, and every batch is
        // polled.
        "TransportCounts.packetsDropped",
        // Errors of header extensions end the reading of the block, and nothing else: PacketNames,
        // JitterBuffer.rotation.
        "WireProblem.invalidExtension", "WireProblem.invalidPlayoutDelay",
        // Of maps that an app fills, and of formats of its own (NumberedPayload).
        "WireProblem.invalidExtensionID", "WireProblem.invalidReference",
        // Of the arithmetic of FEC: RepairStatistics counts them as malformedPackets or fecPacketsDiscarded.
        "WireProblem.notProtected", "WireProblem.recoveryIncomplete", "WireProblem.notRestored",
        "WireProblem.bufferTooSmall",
        // RTCPMessage chooses the parser by the type.
        "WireProblem.unexpectedPacketType",
    ]

    private static let calls = [
        // Our own camera, encoders, sockets and clock, and the end of the call: no datagram leads there.
        "CallEventOutcome.facesChanged", "CallEventOutcome.facesUnavailable", "CallEventOutcome.sourceEnded",
        "CallEventOutcome.sourceFailed", "CallEventOutcome.sendingFailed", "CallEventOutcome.transportFailed",
        "CallEventOutcome.statistics", "CallEventOutcome.over",
        // Of a call with end-to-end encryption: the target "sframe" has its frames.
        "CallEventOutcome.opened", "CallEventOutcome.unopened",
        // Of a call with several participants, whose frames one network must not decide (UnequalNetworksTests).
        "CallEventOutcome.reduced", "CallEventOutcome.restored",
    ]
}
