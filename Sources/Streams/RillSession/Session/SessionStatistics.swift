import RillCore
public import RillRTP
public import RillReceive
public import RillSend

/// The statistics of a session in both directions, with the names of W3C webrtc-stats where they exist.
public struct SessionStatistics: Codable, Equatable, Sendable {
    /// All datagrams.
    public var transport: TransportCounts
    /// The round-trip time to the remote side.
    public var roundTrip: RoundTripStatistics
    /// The congestion control of what is sent; `nil` without.
    public var congestion: CongestionStatistics?
    /// The streams that are sent, each counted since it has its current SSRC.
    public var sending: [Sending] = []
    /// The streams that are received and whose SSRC is known, each counted since it has its current one.
    public var receiving: [Receiving] = []
    /// Sources of RTP packets that belong to no stream: the first eight.
    public var unknown: [UnknownSource] = []

    /// One stream that is sent.
    public struct Sending: Codable, Equatable, Sendable {
        /// Its SSRC.
        public var ssrc: SSRC
        /// Its RID, if it has one.
        public var rid: String?
        /// Packets sent, and feedback received.
        public var stream: RTPStreamStatistics
    }

    /// One stream that is received.
    public struct Receiving: Codable, Equatable, Sendable {
        /// Its SSRC.
        public var ssrc: SSRC
        /// Its RID, if it has one.
        public var rid: String?
        /// Packets, frames and the jitter buffer.
        public var stream: InboundStatistics
        /// Retransmissions and FEC packets.
        public var repair: RepairStatistics
    }
}

/// A source of RTP packets that belong to no stream: a payload type that was not described, for example.
public struct UnknownSource: Codable, Equatable, Sendable {
    /// The SSRC.
    public var ssrc: SSRC
    /// The payload type.
    public var payloadType: PayloadType
    /// How many packets came with both.
    public var packetCount: Int
}

extension [UnknownSource] {
    /// Counts a packet, as long as there is room: any SSRC may be made up.
    mutating func count(_ ssrc: SSRC, _ payloadType: PayloadType) {
        if let index = firstIndex(where: { $0.ssrc == ssrc && $0.payloadType == payloadType }) {
            self[index].packetCount += 1
        } else if count < 8 {
            append(UnknownSource(ssrc: ssrc, payloadType: payloadType, packetCount: 1))
        }
    }
}

/// The datagram counters of a session (W3C `RTCTransportStats`; those after the blank line are Rill's own).
public struct TransportCounts: Codable, Equatable, Sendable {
    /// Datagrams sent.
    public internal(set) var packetsSent = 0
    /// Bytes sent.
    public internal(set) var bytesSent = 0
    /// RTP and RTCP datagrams received.
    public internal(set) var packetsReceived = 0
    /// Bytes received.
    public internal(set) var bytesReceived = 0

    /// Datagrams that look like RTP by their first bytes, but are truncated or contradictory.
    public internal(set) var malformedPackets = 0
    /// RTP packets whose SSRC belongs to no stream.
    public internal(set) var packetsOfUnknownSources = 0
    /// Our own packets that came back.
    public internal(set) var packetsLooped = 0
    /// RTCP packets, blocks of extended reports, or remainders of datagrams that could not be parsed.
    public internal(set) var malformedFeedback = 0
    /// Datagrams that were not sent because too many waited.
    public internal(set) var packetsDropped = 0
    /// How often a circuit breaker stopped a stream (RFC 8083).
    public internal(set) var streamsStopped = 0
    /// How often a circuit breaker reduced the bitrate to a tenth (RFC 8083 §4.3).
    public internal(set) var bitrateReductions = 0
    /// Events that were dropped because they were not polled in time.
    public internal(set) var eventsDropped = 0
    /// Iterations of polls that changed nothing, after which the session ended: an error of Rill's.
    public internal(set) var pollsWithoutProgress = 0
}

extension RTPSession {
    /// The statistics of a stream that is sent, for its current SSRC.
    public func statistics(of id: SendingStreamID) -> RTPStreamStatistics? {
        sending[id.place]?.sender.statistics
    }

    /// The statistics of a stream that is received, for its current SSRC; `nil` before that is known.
    public func statistics(of id: ReceivingStreamID) -> InboundStatistics? {
        receiving[id.place]?.statistics
    }

    /// The statistics of the stream's retransmissions and FEC packets.
    public func repairStatistics(of id: ReceivingStreamID) -> RepairStatistics? {
        receiving[id.place]?.receiver?.repairStatistics
    }

    /// The round-trip time to the remote side.
    public var roundTripStatistics: RoundTripStatistics { roundTrip.statistics }

    /// Whether nothing is held that could still be shown.
    public var isIdle: Bool {
        for index in receiving.indices {
            guard let stream = receiving[index] else { continue }
            if stream.isDecoding || stream.receiver?.isIdle == false || stream.waitingCount > 0 { return false }
        }
        return true
    }

    /// The current settings of a stream that is sent: a collision changes its SSRC.
    public func settings(of id: SendingStreamID) -> RTPStreamSettings? { sending[id.place]?.sender.settings }

    /// The current settings of a stream that is received, with the SSRCs that are known now.
    public func settings(of id: ReceivingStreamID) -> StreamReceiverSettings? { receiving[id.place]?.settings }

    /// The relation of the stream's media clock to its sender's wall clock; `nil` before its first sender report.
    public func senderClock(of id: ReceivingStreamID) -> SenderClock? { receiving[id.place]?.clock }

    /// The session's statistics so far.
    public var statistics: SessionStatistics {
        var transport = counts
        transport.packetsDropped += datagrams.dropped
        transport.eventsDropped = events.dropped
        var statistics = SessionStatistics(transport: transport, roundTrip: roundTrip.statistics)
        statistics.congestion = congestion?.statistics
        statistics.unknown = unknownSources
        for index in sending.indices {
            guard let stream = sending[index] else { continue }
            statistics.sending.append(
                SessionStatistics.Sending(
                    ssrc: stream.sender.settings.ssrc, rid: stream.sender.settings.rid?.description,
                    stream: stream.sender.statistics))
        }
        for index in receiving.indices {
            guard let stream = receiving[index], let ssrc = stream.ssrc, let counts = stream.statistics else {
                continue
            }
            statistics.receiving.append(
                SessionStatistics.Receiving(
                    ssrc: ssrc, rid: stream.name?.description, stream: counts,
                    repair: stream.receiver?.repairStatistics ?? RepairStatistics()))
        }
        return statistics
    }
}

extension SessionStatistics: CustomStringConvertible {
    /// A line for each part, without zeros.
    public var description: String {
        countedText(
            "session",
            [("transport", countedText(transport)), ("round trip", roundTrip.description)]
                + (congestion.map { [("congestion", $0.description)] } ?? [])
                + sending.map { ("sent \($0.ssrc)", $0.stream.description) }
                + receiving.map { ("received \($0.ssrc)", $0.stream.description) })
    }
}
