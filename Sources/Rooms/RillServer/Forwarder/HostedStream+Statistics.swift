#if Server
import RillForward
import RillRTP
import RillWHIP

extension HostedStream {
    /// A stream as the forwarder describes it.
    init(_ statistics: StreamStatistics) {
        self.init(
            statistics.name, codec: statistics.codec.rawValue, viewerCount: statistics.viewerCount,
            seconds: statistics.age.seconds, layers: statistics.layers.map { HostedLayer($0) })
    }
}

extension HostedLayer {
    /// A layer as the forwarder describes it.
    init(_ statistics: LayerStatistics) {
        self.init(
            statistics.name, width: statistics.resolution?.width ?? 0, height: statistics.resolution?.height ?? 0,
            framesPerSecond: statistics.framesPerSecond, bitsPerSecond: statistics.bitrate.bitsPerSecond)
    }
}

extension SDPFragment {
    /// The credentials and candidates of a description.
    init(_ description: SessionDescription) {
        let media = description.media.first
        let attributes = (media?.otherAttributes ?? []) + description.otherAttributes
        func value(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
        let candidates = attributes.filter { $0.name == "candidate" }.compactMap(\.value)
        self.init(
            usernameFragment: value("ice-ufrag"), password: value("ice-pwd"),
            sections: [
                Section(mid: media?.mid, candidates: candidates.map { "candidate:\($0)" }, isEnd: true)
            ])
    }
}

extension ForwardClient {
    /// Who asks an endpoint.
    init(_ client: StreamClient) {
        self.init(subject: client.subject, bearer: client.bearer, address: client.address)
    }
}

extension ForwardQuota {
    /// Its name in metrics.
    var metric: String {
        switch self {
        case .bearerSessions: "token"
        case .addressSessions: "address"
        case .bearerStreams: "token_streams"
        case .addressStreams: "address_streams"
        case .streamViewers: "stream"
        }
    }
}
#endif
