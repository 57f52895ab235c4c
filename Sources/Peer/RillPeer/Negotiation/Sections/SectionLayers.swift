import RillRTP

/// The streams of one direction of a section that have RIDs (RFC 8853).
struct SectionLayers {
    /// The lines a=rid of these streams.
    var rids: [RestrictionIdentifier] = []
    /// Their entries in a=simulcast; empty if they are no simulcast.
    var streams: [Simulcast.Stream] = []

    var isEmpty: Bool { rids.isEmpty }

    init() {}

    /// The streams of a section in one direction. Names without a line a=rid are left out (RFC 8853 §5.2).
    init(_ media: MediaDescription, _ way: RestrictionIdentifier.Direction) {
        rids = media.rids.filter { $0.direction == way }
        let known = Set(rids.map(\.id))
        let listed = media.simulcast.map { way == .send ? $0.send : $0.receive } ?? []
        for stream in listed {
            let alternatives = stream.alternatives.filter { known.contains($0.rid) }
            if !alternatives.isEmpty { streams.append(Simulcast.Stream(alternatives)) }
        }
        keepListed()
    }

    /// What a sender and a receiver agree on: the sender's streams that the receiver takes, paused if either says so.
    ///
    /// - Parameters:
    ///   - sender: the streams in the sender's description.
    ///   - receiver: those in the receiver's.
    ///   - types: the sender's payload types with what they become; restrictions to others are dropped.
    init(sender: SectionLayers, receiver: SectionLayers, _ types: [PayloadType: PayloadType]) {
        var taken: [String: RestrictionIdentifier] = [:]
        for rid in receiver.rids { taken[rid.id] = rid }
        var paused: Set<String> = []
        for alternative in receiver.streams.flatMap(\.alternatives) where alternative.isPaused {
            paused.insert(alternative.rid)
        }
        for rid in sender.rids {
            guard let other = taken[rid.id] else { continue }
            var agreed = rid
            agreed.payloadTypes = rid.payloadTypes.compactMap { types[$0] }
            guard agreed.payloadTypes.isEmpty == rid.payloadTypes.isEmpty else { continue }
            agreed.restrictions =
                StreamDescription.Limits(rid.restrictions)
                .tightened(by: .init(other.restrictions)).restrictions
            rids.append(agreed)
        }
        let known = Set(rids.map(\.id))
        for stream in sender.streams {
            let alternatives = stream.alternatives.filter { known.contains($0.rid) }.map { alternative in
                Simulcast.Alternative(
                    alternative.rid, isPaused: alternative.isPaused || paused.contains(alternative.rid))
            }
            if !alternatives.isEmpty { streams.append(Simulcast.Stream(alternatives)) }
        }
        if receiver.streams.isEmpty, let first = streams.first?.alternatives.first?.rid {
            // A receiver without simulcast takes one stream: the highest layer that it names.
            rids = rids.filter { $0.id == first }
            streams = []
        }
        keepListed()
    }

    /// If there is a simulcast, streams outside it are not sent.
    private mutating func keepListed() {
        guard !streams.isEmpty else { return }
        let listed = Set(streams.flatMap { $0.alternatives.map(\.rid) })
        rids.removeAll { !listed.contains($0.id) }
    }
}

extension StreamDescription.Limits {
    /// The tighter of both limits, each by itself.
    func tightened(by other: StreamDescription.Limits) -> StreamDescription.Limits {
        func least<Value: Comparable>(_ one: Value?, _ two: Value?) -> Value? {
            guard let one, let two else { return one ?? two }
            return min(one, two)
        }
        var limits = self
        limits.width = least(width, other.width)
        limits.height = least(height, other.height)
        limits.framesPerSecond = least(framesPerSecond, other.framesPerSecond)
        limits.pixelsPerFrame = least(pixelsPerFrame, other.pixelsPerFrame)
        limits.pixelsPerSecond = least(pixelsPerSecond, other.pixelsPerSecond)
        limits.bitsPerSecond = least(bitsPerSecond, other.bitsPerSecond)
        return limits
    }
}
