public import RillCore
public import RillSecurity
public import RillSession
public import RillTransport

/// What a ``VideoCall`` has been through so far.
public struct CallStatistics: Codable, Sendable {
    /// When, on the call's clock.
    public var time: MediaTime
    /// What is encoded, once for all.
    public var layers: [Layer] = []
    /// The others.
    public var participants: [Participant] = []
    /// The sockets, in the order in which they were given.
    public var transports: [TransportStatistics] = []

    /// One layer of what is sent.
    public struct Layer: Codable, Sendable {
        /// Its name.
        public var rid: StreamLayer.RID
        /// What its encoder has done.
        public var encoder: EncoderStatistics
        /// Frames that gave way to a newer one because the encoder was busy.
        public var framesReplaced: Int
        /// Frames left out because they were the same as the one before.
        public var framesUnchanged: Int
        /// Size of the pictures, as of the last frame.
        public var resolution: Resolution
        /// Why its pictures are smaller or fewer than they are set to be.
        public var qualityLimitationReason: QualityLimitationReason
        /// How often its size was adapted.
        public var qualityLimitationResolutionChanges: Int
    }

    /// One of the others.
    public struct Participant: Codable, Sendable {
        /// What they are called.
        public var name: String
        /// Where they are.
        public var address: String?
        /// Streams and datagrams in both directions.
        public var session: SessionStatistics
        /// What became of our packets under the key.
        public var protected: ProtectStatistics?
        /// What became of theirs.
        public var unprotected: UnprotectStatistics?
        /// The layer that their sequence is to come by; `nil` for none, or where they are not shown as one.
        public var wanted: StreamLayer.RID?
        /// The layers that are shown.
        public var shown: [Shown] = []
    }

    /// A layer of theirs that is shown.
    public struct Shown: Codable, Sendable {
        /// Its name.
        public var rid: StreamLayer.RID
        /// From its packets to its pictures.
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
