/// The workloads of one module.
public enum Suite: String, CaseIterable, Sendable {
    case image
    case beauty
    case codec
    case rtp
    case receive
    case session
    case congestion
    case security
    case peer
    case forward
    case pipeline
    case transcode

    /// Its workloads.
    public var workloads: [Workload] {
        switch self {
        case .image: Self.imageWorkloads
        case .beauty: Self.beautyWorkloads
        case .codec: Self.codecWorkloads
        case .rtp: Self.rtpWorkloads
        case .receive: Self.receiveWorkloads
        case .session: Self.sessionWorkloads
        case .congestion: Self.congestionWorkloads
        case .security: Self.securityWorkloads
        case .peer: Self.peerWorkloads
        case .forward: Self.forwardWorkloads
        case .pipeline: Self.pipelineWorkloads
        case .transcode: Self.transcodeWorkloads
        }
    }
}
