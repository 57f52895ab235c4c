public import RillPeer

/// Why a ``StreamForwarder`` refuses.
public enum ForwardError: Error, Equatable, Sendable {
    /// Nobody publishes the stream.
    case unknownStream(String)
    /// There is no such session, or it has ended.
    case unknownSession
    /// The stream has no such layer, but these, the best one first.
    case unknownLayer(String, of: [String])
    /// All slots of the member show streams that are as important.
    case noFreeSlot(limit: Int)
    /// The description cannot be used.
    case refused(PeerError)
    /// Nothing in the description can be forwarded: it has no section of video, or those that it has are rejected.
    case nothingUsable([SectionRejection])
    /// There are as many sessions as there may be.
    case tooManySessions(limit: Int)
    /// There are as many streams as there may be.
    case tooManyStreams(limit: Int)
    /// The client, or the stream, has as many as it may have.
    case quotaReached(ForwardQuota, limit: Int)
    /// Another publisher has the stream, and only an own one was to be replaced.
    case publishedByOther
    /// The forwarder is closed.
    case closed
}

extension ForwardError: CustomStringConvertible {
    /// A description of the error in one sentence.
    public var description: String {
        switch self {
        case .unknownStream(let name): "nobody publishes \"\(name)\""
        case .unknownSession: "there is no such session"
        case .unknownLayer(let name, let layers):
            "the stream has no layer \"\(name)\": it has \(layers.joined(separator: ", "))"
        case .noFreeSlot(let limit): "all \(limit) slots show streams of at least this priority"
        case .refused(let error): "\(error)"
        case .nothingUsable([]): "there is no section of video that can be forwarded"
        case .nothingUsable(let rejections): rejections.map(\.description).joined(separator: "; ")
        case .tooManySessions(let limit): "there are \(limit) sessions already"
        case .tooManyStreams(let limit): "there are \(limit) streams already"
        case .quotaReached(let quota, let limit): "there are \(limit) \(quota.rawValue) already"
        case .publishedByOther: "somebody else publishes the stream"
        case .closed: "the server is closed"
        }
    }
}
