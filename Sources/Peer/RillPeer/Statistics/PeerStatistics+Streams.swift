import RillCore
import RillRTP
import RillSession

extension PeerStatistics {
    /// `RTCCodecStats`.
    public struct Codec: PeerStatisticsEntry, Equatable {
        /// The type, as W3C names it.
        public private(set) var type = "codec"
        /// The identity.
        public var id: String
        /// When it was taken: milliseconds since 1970.
        public var timestamp: Double
        /// The transport of the codec.
        public private(set) var transportId = "T"
        /// The payload type.
        public var payloadType: Int
        /// `video/VP8`.
        public var mimeType: String
        /// The clock rate in hertz.
        public var clockRate: Int
        /// The parameters (a=fmtp), without the payload type.
        public var sdpFmtpLine: String?

        init(_ format: RTPFormat, _ section: NegotiatedSection, _ timestamp: Double) {
            (id, self.timestamp) = (Codec.identity(format.payloadType, section), timestamp)
            payloadType = Int(format.payloadType.rawValue)
            mimeType = "\(section.kind.rawValue)/\(format.encoding?.name ?? "")"
            clockRate = Int(format.encoding?.clockRate ?? 0)
            let parameters = format.parameters.map { one in one.value.map { "\(one.name)=\($0)" } ?? one.name }
            sdpFmtpLine = parameters.isEmpty ? nil : parameters.joined(separator: ";")
        }

        static func identity(_ type: PayloadType, _ section: NegotiatedSection) -> String { "C\(section.mid)-\(type)" }
    }

    /// `RTCInboundRtpStreamStats`.
    public struct InboundRTP: PeerStatisticsEntry, Equatable {
        /// The type, as W3C names it.
        public private(set) var type = "inbound-rtp"
        /// The identity.
        public var id: String
        /// When it was taken: milliseconds since 1970.
        public var timestamp: Double
        /// The transport.
        public private(set) var transportId = "T"
        /// Always `video`.
        public private(set) var kind = "video"
        /// The codec.
        public var codecId: String
        /// What the peer reports of the stream.
        public var remoteId: String
        /// The SSRC.
        public var ssrc: UInt32
        /// The MID of the section.
        public var mid: String
        /// The RID of the layer. Browsers have none here: they receive no simulcast.
        public var rid: String?
        /// RTP packets received.
        public var packetsReceived: Int
        /// Packets expected minus packets received.
        public var packetsLost: Int
        /// Packets that came too late.
        public var packetsDiscarded: Int
        /// Payload bytes received.
        public var bytesReceived: Int
        /// Bytes of headers and padding received.
        public var headerBytesReceived: Int
        /// Interarrival jitter in seconds.
        public var jitter: Double
        /// Packets received on the retransmission stream.
        public var retransmittedPacketsReceived: Int
        /// Their payload bytes.
        public var retransmittedBytesReceived: Int
        /// FEC packets received.
        public var fecPacketsReceived: Int
        /// Frames that became complete.
        public var framesReceived: Int
        /// Frames that were not shown.
        public var framesDropped: Int
        /// Frames of more than one packet.
        public var framesAssembledFromMultiplePackets: Int
        /// From the first packet of a frame to the last, summed, in seconds.
        public var totalAssemblyTime: Double
        /// From a frame's first packet to its release, summed, in seconds.
        public var jitterBufferDelay: Double
        /// The target delay, summed over the released frames, in seconds.
        public var jitterBufferTargetDelay: Double
        /// Frames released.
        public var jitterBufferEmittedCount: Int
        /// NACKs sent.
        public var nackCount: Int
        /// Key frame requests sent.
        public var pliCount: Int
        /// Key frames received. Browsers count those that were decoded.
        public var keyFramesReceived: Int

        init(
            _ stream: SessionStatistics.Receiving, _ section: NegotiatedSection, _ description: StreamDescription,
            _ timestamp: Double
        ) {
            (id, self.timestamp) = ("I\(stream.ssrc)", timestamp)
            (codecId, remoteId) = (Codec.identity(description.payloadType, section), "RO\(stream.ssrc)")
            (ssrc, mid, rid) = (stream.ssrc.rawValue, section.mid, stream.rid)
            let counts = stream.stream
            (packetsReceived, packetsLost) = (counts.packetsReceived, counts.packetsLost)
            packetsDiscarded = counts.packetsDiscarded
            (bytesReceived, headerBytesReceived) = (counts.bytesReceived, counts.headerBytesReceived)
            jitter = counts.jitter.seconds
            retransmittedPacketsReceived = stream.repair.retransmittedPacketsReceived
            retransmittedBytesReceived = stream.repair.retransmittedBytesReceived
            fecPacketsReceived = stream.repair.fecPacketsReceived
            (framesReceived, framesDropped) = (counts.framesReceived, counts.framesDropped)
            framesAssembledFromMultiplePackets = counts.framesAssembledFromMultiplePackets
            totalAssemblyTime = counts.totalAssemblyTime.seconds
            jitterBufferDelay = counts.jitterBufferDelay.seconds
            jitterBufferTargetDelay = counts.jitterBufferTargetDelay.seconds
            jitterBufferEmittedCount = counts.jitterBufferEmittedCount
            (nackCount, pliCount) = (counts.nackCount, counts.pliCount)
            keyFramesReceived = counts.keyFramesReceived
        }
    }

    /// `RTCOutboundRtpStreamStats`.
    public struct OutboundRTP: PeerStatisticsEntry, Equatable {
        /// The type, as W3C names it.
        public private(set) var type = "outbound-rtp"
        /// The identity.
        public var id: String
        /// When it was taken: milliseconds since 1970.
        public var timestamp: Double
        /// The transport.
        public private(set) var transportId = "T"
        /// Always `video`.
        public private(set) var kind = "video"
        /// The codec.
        public var codecId: String
        /// What the peer reports of the stream.
        public var remoteId: String?
        /// The SSRC.
        public var ssrc: UInt32
        /// The MID of the section.
        public var mid: String
        /// The RID of the layer.
        public var rid: String?
        /// RTP packets sent, with retransmissions and FEC.
        public var packetsSent: Int
        /// Payload bytes sent.
        public var bytesSent: Int
        /// Bytes of headers and padding sent.
        public var headerBytesSent: Int
        /// Packets retransmitted.
        public var retransmittedPacketsSent: Int
        /// Payload bytes retransmitted.
        public var retransmittedBytesSent: Int
        /// Frames sent.
        public var framesSent: Int
        /// NACKs received.
        public var nackCount: Int
        /// FIRs received.
        public var firCount: Int
        /// Key frame requests received.
        public var pliCount: Int
        /// Key frames sent. Browsers count those that were encoded.
        public var keyFramesSent: Int

        init(
            _ stream: SessionStatistics.Sending, _ section: NegotiatedSection, _ description: StreamDescription,
            _ timestamp: Double
        ) {
            (id, self.timestamp) = ("O\(stream.ssrc)", timestamp)
            codecId = Codec.identity(description.payloadType, section)
            remoteId = stream.stream.packetsLost.map { _ in "RI\(stream.ssrc)" }
            (ssrc, mid, rid) = (stream.ssrc.rawValue, section.mid, stream.rid)
            let counts = stream.stream
            (packetsSent, bytesSent) = (counts.packetsSent, counts.bytesSent)
            headerBytesSent = counts.headerBytesSent
            retransmittedPacketsSent = counts.retransmittedPacketsSent
            retransmittedBytesSent = counts.retransmittedBytesSent
            (framesSent, keyFramesSent) = (counts.framesSent, counts.keyFramesSent)
            (nackCount, firCount, pliCount) = (counts.nackCount, counts.firCount, counts.pliCount)
        }
    }

    /// `RTCRemoteInboundRtpStreamStats`.
    public struct RemoteInboundRTP: PeerStatisticsEntry, Equatable {
        /// The type, as W3C names it.
        public private(set) var type = "remote-inbound-rtp"
        /// The identity.
        public var id: String
        /// When it was taken: milliseconds since 1970.
        public var timestamp: Double
        /// Always `video`.
        public private(set) var kind = "video"
        /// The stream that the report is of.
        public var localId: String
        /// The SSRC.
        public var ssrc: UInt32
        /// Packets that the peer expected and did not receive.
        public var packetsLost: Int
        /// 0 to 1, between the last two reports.
        public var fractionLost: Double?
        /// The jitter that the peer reports, in seconds.
        public var jitter: Double?
        /// The latest round trip, in seconds.
        public var roundTripTime: Double?
        /// The sum of all round trips, in seconds.
        public var totalRoundTripTime: Double
        /// The number of round trips.
        public var roundTripTimeMeasurements: Int

        init?(_ stream: SessionStatistics.Sending, _ section: NegotiatedSection, _ timestamp: Double) {
            guard let lost = stream.stream.packetsLost else { return nil }
            (id, self.timestamp, localId) = ("RI\(stream.ssrc)", timestamp, "O\(stream.ssrc)")
            (ssrc, packetsLost) = (stream.ssrc.rawValue, lost)
            (fractionLost, jitter) = (stream.stream.fractionLost, stream.stream.jitter?.seconds)
            roundTripTime = stream.stream.roundTripTime?.seconds
            totalRoundTripTime = stream.stream.totalRoundTripTime.seconds
            roundTripTimeMeasurements = stream.stream.roundTripTimeMeasurements
        }
    }

    /// `RTCRemoteOutboundRtpStreamStats`.
    public struct RemoteOutboundRTP: PeerStatisticsEntry, Equatable {
        /// The type, as W3C names it.
        public private(set) var type = "remote-outbound-rtp"
        /// The identity.
        public var id: String
        /// When it was taken: milliseconds since 1970.
        public var timestamp: Double
        /// Always `video`.
        public private(set) var kind = "video"
        /// The stream that the report is of.
        public var localId: String
        /// The SSRC.
        public var ssrc: UInt32
        /// In seconds.
        public var roundTripTime: Double?

        init(_ stream: SessionStatistics.Receiving, _ section: NegotiatedSection, _ timestamp: Double) {
            (id, self.timestamp, localId) = ("RO\(stream.ssrc)", timestamp, "I\(stream.ssrc)")
            ssrc = stream.ssrc.rawValue
            let time = stream.stream.roundTripTime
            roundTripTime = time == .zero ? nil : time.seconds
        }
    }
}
