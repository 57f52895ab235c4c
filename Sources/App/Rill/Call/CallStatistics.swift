public import RillCore
import RillPeer
public import RillSecurity
public import RillSession
public import RillTransport

/// The statistics of a ``VideoCall`` so far.
public struct CallStatistics: Codable, Sendable {
    /// When they were read, on the call's clock.
    public var time: MediaTime
    /// The layers that are encoded, once for all participants.
    public var layers: [Layer] = []
    /// The other participants.
    public var participants: [Participant] = []
    /// The transports, in the order in which they were first used.
    public var transports: [TransportStatistics] = []
    /// Our frames that were encrypted from end to end; `nil` without that.
    public var sealed: SFrameSealStatistics?
    /// The others' frames, by whether they could be opened; `nil` without end-to-end encryption.
    public var opened: SFrameOpenStatistics?

    /// One layer that is sent.
    public struct Layer: Codable, Sendable {
        /// The layer's name.
        public var rid: StreamLayer.RID
        /// The statistics of its encoder.
        public var encoder: EncoderStatistics
        /// Frames replaced by a newer one because the encoder was busy.
        public var framesReplaced: Int
        /// Frames skipped because they equal the previous one.
        public var framesUnchanged: Int
        /// Picture size as of the last frame.
        public var resolution: Resolution
        /// Why its pictures are smaller or fewer than configured.
        public var qualityLimitationReason: QualityLimitationReason
        /// How often adaptation changed its size.
        public var qualityLimitationResolutionChanges: Int
        /// How long it was limited for each reason.
        public var qualityLimitationDurations: SendStatistics.LimitationDurations
        /// The encoder's target in bit/s; 0 while the layer is not sent.
        public var targetBitrate: Int
        /// Frames left out before they were encoded, because packets waited to be sent.
        public var framesSkipped: SendStatistics.SkippedFrames
    }

    /// One of the other participants.
    public struct Participant: Codable, Sendable {
        /// The participant's name.
        public var name: String
        /// The participant's address.
        public var address: String?
        /// Streams and datagrams in both directions.
        public var session: SessionStatistics
        /// The protection of our packets; `nil` without a key.
        public var protected: ProtectStatistics?
        /// The protection of their packets; `nil` without a key.
        public var unprotected: UnprotectStatistics?
        /// Packets of their sound, which arrive and are not decoded.
        public var soundPacketsReceived = 0
        /// The bytes of those packets, with their headers.
        public var soundBytesReceived = 0
        /// The layer that their sequence is to show; `nil` for none, or if they are not shown as a sequence.
        public var wanted: StreamLayer.RID?
        /// The layers that are shown.
        public var shown: [Shown] = []
    }

    /// A shown layer of a participant.
    public struct Shown: Codable, Sendable {
        /// The layer's name.
        public var rid: StreamLayer.RID
        /// Its statistics, from packets to pictures.
        public var received: ReceiveStatistics
    }
}

extension CallStatistics: CustomStringConvertible {
    /// A line for each layer and each participant.
    public var description: String {
        var lines = layers.map { layer in
            "sent \(layer.rid) \(layer.resolution): \(layer.encoder.framesEncoded) frames, \(layer.encoder.keyFramesEncoded) key frames"
        }
        for participant in participants {
            let transport = participant.session.transport
            lines.append(
                "\(participant.name): \(transport.packetsSent) packets sent, \(transport.packetsReceived) received, "
                    + participant.shown.map { "\($0.rid) \($0.received.framesShown) pictures" }.joined(separator: ", "))
        }
        return lines.joined(separator: "\n")
    }
}

extension CallParticipant {
    /// The participant's statistics so far.
    public var statistics: CallStatistics.Participant {
        var statistics = CallStatistics.Participant(
            name: name, address: address?.description, session: session.look { $0.statistics })
        session.withMedia { media in
            (statistics.protected, statistics.unprotected) = (media.protection?.sent, media.protection?.received)
            for sound in media.receivingSounds {
                let received = media.session.statistics(of: sound.id)
                statistics.soundPacketsReceived += received?.packetsReceived ?? 0
                statistics.soundBytesReceived += (received?.bytesReceived ?? 0) + (received?.headerBytesReceived ?? 0)
            }
        }
        statistics.wanted = wantedLayer
        for (id, layer) in shownLayers {
            let received = session.look { layer.statistics(of: id, in: $0) }
            statistics.shown.append(CallStatistics.Shown(rid: layer.rid, received: received))
        }
        return statistics
    }
}
