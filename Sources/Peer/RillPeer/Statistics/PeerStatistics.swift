import RillCore
import RillRTP
import RillSession

/// The statistics of a connection, with the types and names of W3C webrtc-stats: what `getStats()` returns in a
/// browser.
///
/// Times of day are milliseconds since 1970, durations seconds. `Encodable`: each entry becomes an object with `type`,
/// `id` and `timestamp`, and the whole an object of them by their identities.
public struct PeerStatistics: Equatable, Sendable {
    /// `transport`.
    public var transport: Transport
    /// `candidate-pair`: all pairs that were checked.
    public var candidatePairs: [CandidatePair] = []
    /// `local-candidate`.
    public var localCandidates: [Candidate] = []
    /// `remote-candidate`.
    public var remoteCandidates: [Candidate] = []
    /// `certificate`: ours, and the peer's once it has shown it.
    public var certificates: [Certificate] = []
    /// `codec`: one for each format of each section.
    public var codecs: [Codec] = []
    /// `inbound-rtp`.
    public var inbound: [InboundRTP] = []
    /// `outbound-rtp`.
    public var outbound: [OutboundRTP] = []
    /// `remote-inbound-rtp`: what the peer reports of our streams.
    public var remoteInbound: [RemoteInboundRTP] = []
    /// `remote-outbound-rtp`: what the peer reports of its streams.
    public var remoteOutbound: [RemoteOutboundRTP] = []
}

extension PeerStatistics {
    /// - Parameters:
    ///   - link: ICE, DTLS, and what was negotiated.
    ///   - transport: the datagrams, without those of STUN.
    ///   - session: the streams; `nil` before there are any.
    ///   - now: the current time.
    init(_ link: PeerLink, _ transport: PeerTransportCounts, _ session: SessionStatistics?, at now: MediaTime) {
        let time = link.settings.wallClockAtZero.advanced(byNanoseconds: now.nanoseconds)
        let stamp = Double(time.nanoseconds(since: .unixEpoch)) / 1e6
        let sections = link.sections
        self.transport = Transport(link, transport, stamp)
        let pairs = link.agent.statistics
        candidatePairs = pairs.map { CandidatePair($0, stamp) }
        if let index = candidatePairs.firstIndex(where: { $0.nominated && $0.isSelected }) {
            candidatePairs[index].availableOutgoingBitrate = session?.congestion.map {
                Double($0.availableOutgoingBitrate)
            }
        }
        localCandidates = link.agent.localCandidates.map { Candidate($0, isLocal: true, stamp) }
        remoteCandidates = link.agent.remoteCandidates.map { Candidate($0, isLocal: false, stamp) }
        let fingerprints = [("local", link.certificate.fingerprint), ("remote", link.dtls?.remoteFingerprint)]
        certificates = fingerprints.compactMap { name, fingerprint in
            fingerprint.map { Certificate(name, $0, stamp) }
        }
        codecs = sections.flatMap { section in section.formats.map { Codec($0, section, stamp) } }
        guard let session else { return }
        let sent = sections.flatMap { section in section.sending.map { (section, $0) } }
        for stream in session.sending {
            guard let (section, description) = sent.first(where: { $0.1.isStream(stream.ssrc, stream.rid) }) else {
                continue
            }
            outbound.append(OutboundRTP(stream, section, description, stamp))
            if let report = RemoteInboundRTP(stream, section, stamp) { remoteInbound.append(report) }
        }
        let received = sections.flatMap { section in section.receiving.map { (section, $0) } }
        for stream in session.receiving {
            guard let (section, description) = received.first(where: { $0.1.isStream(stream.ssrc, stream.rid) }) else {
                continue
            }
            inbound.append(InboundRTP(stream, section, description, stamp))
            remoteOutbound.append(RemoteOutboundRTP(stream, section, stamp))
        }
    }

}

extension StreamDescription {
    /// Whether a stream of the session is this one: by its RID, or else by its SSRC, if that was announced.
    fileprivate func isStream(_ ssrc: SSRC, _ rid: String?) -> Bool {
        if rid != nil || self.rid != nil { return rid == self.rid }
        return self.ssrc == nil || self.ssrc == ssrc
    }
}

extension PeerStatistics: Encodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Writes an object of all entries by their identities.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(transport, forKey: Key(stringValue: transport.id))
        func write(_ entries: [some PeerStatisticsEntry]) throws {
            for entry in entries { try container.encode(entry, forKey: Key(stringValue: entry.id)) }
        }
        try write(candidatePairs)
        try write(localCandidates)
        try write(remoteCandidates)
        try write(certificates)
        try write(codecs)
        try write(inbound)
        try write(outbound)
        try write(remoteInbound)
        try write(remoteOutbound)
    }
}

/// An entry of ``PeerStatistics``.
public protocol PeerStatisticsEntry: Encodable, Sendable {
    /// The type, as W3C names it.
    var type: String { get }
    /// The identity, by which other entries refer to this one.
    var id: String { get }
    /// When it was taken: milliseconds since 1970.
    var timestamp: Double { get }
}
