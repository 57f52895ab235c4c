import RillCore
import RillRTP
import RillSession

extension PeerStatistics {
    /// `RTCCodecStats`.
    public struct Codec: PeerStatisticsEntry, Equatable {
        public private(set) var type = "codec"
        public var id: String
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
        public private(set) var type = "inbound-rtp"
        public var id: String
        public var timestamp: Double
        public private(set) var transportId = "T"
        public private(set) var kind = "video"
        public var codecId: String
        public var remoteId: String
        public var ssrc: UInt32
        public var mid: String
        /// The RID of the layer. Browsers have none here: they receive no simulcast.
        public var rid: String?
        public var packetsReceived: Int
        public var packetsLost: Int
        public var packetsDiscarded: Int
        public var bytesReceived: Int
        public var headerBytesReceived: Int
        /// In seconds.
        public var jitter: Double
        public var retransmittedPacketsReceived: Int
        public var retransmittedBytesReceived: Int
        public var fecPacketsReceived: Int
        public var framesReceived: Int
        public var framesDropped: Int
        public var framesAssembledFromMultiplePackets: Int
        /// In seconds.
        public var totalAssemblyTime: Double
        /// In seconds, as the two that follow.
        public var jitterBufferDelay: Double
        public var jitterBufferTargetDelay: Double
        public var jitterBufferEmittedCount: Int
        public var nackCount: Int
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
        public private(set) var type = "outbound-rtp"
        public var id: String
        public var timestamp: Double
        public private(set) var transportId = "T"
        public private(set) var kind = "video"
        public var codecId: String
        public var remoteId: String?
        public var ssrc: UInt32
        public var mid: String
        /// The RID of the layer.
        public var rid: String?
        public var packetsSent: Int
        public var bytesSent: Int
        public var headerBytesSent: Int
        public var retransmittedPacketsSent: Int
        public var retransmittedBytesSent: Int
        public var framesSent: Int
        public var nackCount: Int
        public var firCount: Int
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
        public private(set) var type = "remote-inbound-rtp"
        public var id: String
        public var timestamp: Double
        public private(set) var kind = "video"
        public var localId: String
        public var ssrc: UInt32
        public var packetsLost: Int
        /// 0 to 1, between the last two reports.
        public var fractionLost: Double?
        /// In seconds.
        public var jitter: Double?
        /// In seconds.
        public var roundTripTime: Double?
        /// In seconds.
        public var totalRoundTripTime: Double
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
        public private(set) var type = "remote-outbound-rtp"
        public var id: String
        public var timestamp: Double
        public private(set) var kind = "video"
        public var localId: String
        public var ssrc: UInt32
        /// In seconds, from our receiver's point of view.
        public var roundTripTime: Double?

        init(_ stream: SessionStatistics.Receiving, _ section: NegotiatedSection, _ timestamp: Double) {
            (id, self.timestamp, localId) = ("RO\(stream.ssrc)", timestamp, "I\(stream.ssrc)")
            ssrc = stream.ssrc.rawValue
            let time = stream.stream.roundTripTime
            roundTripTime = time == .zero ? nil : time.seconds
        }
    }
}
