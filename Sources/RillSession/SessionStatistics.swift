import RillCore
public import RillRTP
public import RillReceive
public import RillSend
import RillState

/// What a session has been through, in both directions, under the names of W3C webrtc-stats where they exist.
public struct SessionStatistics: Codable, Equatable, Sendable {
    /// All datagrams.
    public var transport: TransportCounts
    /// The time to the other side and back.
    public var roundTrip: RoundTripStatistics
    /// The streams that are sent, since each has its present source.
    public var sending: [Sending] = []
    /// The streams that are received and of which the source is known, since each has its present one.
    public var receiving: [Receiving] = []

    /// One stream that is sent.
    public struct Sending: Codable, Equatable, Sendable {
        /// Its source.
        public var ssrc: SSRC
        /// Its name in the section, if it has one.
        public var rid: String?
        /// What it has sent, and heard.
        public var stream: RTPStreamStatistics
    }

    /// One stream that is received.
    public struct Receiving: Codable, Equatable, Sendable {
        /// Its source.
        public var ssrc: SSRC
        /// The name that it comes under, if it has one.
        public var rid: String?
        /// Packets, frames and the jitter buffer.
        public var stream: InboundStatistics
        /// What came of retransmissions and FEC packets.
        public var repair: RepairStatistics
    }
}

/// Datagrams of a session (W3C `RTCTransportStats`; those that stand apart at the end are Rill's own).
public struct TransportCounts: Codable, Equatable, Sendable {
    /// Datagrams sent.
    public internal(set) var packetsSent = 0
    /// Their bytes.
    public internal(set) var bytesSent = 0
    /// Datagrams of RTP and RTCP received.
    public internal(set) var packetsReceived = 0
    /// Their bytes.
    public internal(set) var bytesReceived = 0

    /// Datagrams that are neither RTP nor RTCP that can be read: by their first bytes RTP, but cut short or contradictory.
    public internal(set) var malformedPackets = 0
    /// Packets of RTP whose source belongs to no stream.
    public internal(set) var packetsOfUnknownSources = 0
    /// Our own packets that came back.
    public internal(set) var packetsLooped = 0
    /// Packets of RTCP, blocks of extended reports, or rests of datagrams, that could not be read.
    public internal(set) var malformedFeedback = 0
    /// Datagrams that were not sent because too many waited.
    public internal(set) var packetsDropped = 0
    /// Events that nobody asked for in time.
    public internal(set) var eventsDropped = 0
}

extension SessionCore {
    /// What the session has been through so far.
    var statistics: SessionStatistics {
        var transport = counts
        transport.packetsDropped += datagrams.dropped
        transport.eventsDropped = events.dropped
        var statistics = SessionStatistics(transport: transport, roundTrip: roundTrip.statistics)
        for index in sending.indices {
            guard let stream = sending[index] else { continue }
            statistics.sending.append(
                SessionStatistics.Sending(
                    ssrc: stream.cell.state.settings.ssrc, rid: stream.cell.state.settings.rid?.description,
                    stream: stream.cell.state.statistics))
        }
        for index in receiving.indices {
            guard let stream = receiving[index], let ssrc = stream.ssrc, let receiver = stream.receiver else {
                continue
            }
            statistics.receiving.append(
                SessionStatistics.Receiving(
                    ssrc: ssrc, rid: stream.name?.description, stream: receiver.statistics,
                    repair: receiver.repairStatistics))
        }
        return statistics
    }
}

extension SessionStatistics: CustomStringConvertible {
    /// A line for each part, without what is zero.
    public var description: String {
        countedText(
            "session",
            [("transport", countedText(transport)), ("round trip", roundTrip.description)]
                + sending.map { ("sent \($0.ssrc)", $0.stream.description) }
                + receiving.map { ("received \($0.ssrc)", $0.stream.description) })
    }
}
