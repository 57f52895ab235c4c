import RillCodec
import RillCore

/// Decides which participants of a call are sent only smaller layers, so that one slow network, or one liar, does not
/// decide the quality of all.
///
/// All participants are sent the same encoded frames, so the largest layer follows the slowest network of those who get
/// it. Somebody whose network carries less than the *floor* does not get it, if others do:
///
/// - the floor is what the smaller layers need and the least at which the largest is worth sending
///   (``/RillCodec/BitrateAllocator/Layer/minimum``), or a quarter of what the network of the median of those above it
///   carries, if that is more: nobody reduces the others to less than a quarter, and a minority's forged feedback moves
///   no median;
/// - who stays below the floor for 300 ms is reduced;
/// - the layer returns once 1.2 times the floor (``/RillCodec/BitrateAllocator/hysteresis``) was carried for 2 s. The
///   time doubles up to 30 s each time that a return does not last 10 s. The small layer does not show what a network
///   carries, so probes are asked for, each after twice the time;
/// - who joins begins with what the estimate of an unknown network carries, which is less than what the others get, and
///   is probed at once. The layer comes with the first estimate that would reduce nobody; from 5 s on as above.
///
/// With nobody above the floor there is nobody to protect, and the layers follow the slowest.
///
/// A pure value: it reads no clock, and the same calls give the same decisions.
struct LayerReductions: Sendable {
    /// What is known of a participant.
    struct Member: Equatable, Sendable {
        var id: Int
        /// The layers that they want, by their places.
        var wanted: LayerSet
        /// What their network carries of encoded frames.
        var bitrate: Bitrate

        fileprivate var bits: Int { bitrate.bitsPerSecond }
    }

    /// What follows for a participant.
    enum Change: Equatable, Sendable {
        /// They are sent these layers at most.
        case limited(Int, to: LayerSet)
        /// Find out whether their network carries this bitrate.
        case probe(Int, of: Bitrate)
    }

    private struct Standing {
        let id: Int
        /// The layers that they may get.
        var allowed = LayerSet.all
        /// Until when they are new.
        var isNewUntil: MediaTime?
        /// Since when the opposite is due.
        var pendingSince: MediaTime?
        var hold = LayerReductions.firstHold
        /// When the layers returned last.
        var returned: MediaTime?
        var probeTime = MediaTime.distantFuture
        var probeInterval = LayerReductions.firstHold
    }

    /// The layers from the smallest to the largest, and from which bitrate on somebody gets the largest that others
    /// get.
    private struct Floor {
        let layers: [BitrateAllocator.Layer]
        let order: [Int]
        /// The place of that layer in the order.
        let place: Int
        let bits: Int
        /// What the layers up to it take at most.
        let most: Int

        /// The largest layer that somebody can be sent while others cannot; `nil` if there is none.
        init?(_ members: [Member], _ layers: [BitrateAllocator.Layer]) {
            let order = layers.indices.sorted { (layers[$0].minimum, $0) < (layers[$1].minimum, $1) }
            var below = order.reduce(0) { $0 + layers[$1].target.bitsPerSecond }
            for (place, layer) in order.enumerated().reversed() where place > 0 {
                below -= layers[layer].target.bitsPerSecond
                let least = below + layers[layer].minimum.bitsPerSecond
                let above = members.filter { $0.wanted.contains(layer: layer) && $0.bits >= least }
                guard !above.isEmpty else { continue }
                let most = below + layers[layer].maximum.bitsPerSecond
                let median = above.map(\.bits).sorted()[(above.count - 1) / 2]
                (self.layers, self.order, self.place, self.most) = (layers, order, place, most)
                bits = max(least, min(median, most) / LayerReductions.share)
                return
            }
            return nil
        }

        /// Whether a member wants what has this floor.
        func concerns(_ member: Member) -> Bool { order[place...].contains { member.wanted.contains(layer: $0) } }

        /// The smaller layers that a network carries; at least the smallest.
        func carried(_ bits: Int) -> LayerSet {
            var set = LayerSet.layer(order[0])
            var sum = layers[order[0]].target.bitsPerSecond
            for layer in order[1..<place] {
                sum += layers[layer].target.bitsPerSecond
                guard sum <= bits else { break }
                set.insert(.layer(layer))
            }
            return set
        }
    }

    /// How long somebody may be below the floor.
    private static let shortfall = MediaDuration.milliseconds(300)
    private static let firstHold = MediaDuration.seconds(2)
    private static let longestHold = MediaDuration.seconds(30)
    /// A return that lasts this long was right.
    private static let trial = MediaDuration.seconds(10)
    /// The time in which an estimate finds out what a network carries.
    private static let newness = MediaDuration.seconds(5)
    /// The least share of the median's bitrate.
    private static let share = 4
    /// The estimate aims a little below what a probe shows, and headers take their part.
    private static let probeFactor = 1.5
    /// What does not reduce the others by more than they notice.
    private static let harmless = 0.9

    private var standings: [Standing] = []

    /// Whether a participant is not sent all layers that they want.
    func isReduced(_ id: Int) -> Bool { standings.first { $0.id == id }.map { $0.allowed != .all } ?? false }

    /// Updates the decisions.
    ///
    /// - Parameters:
    ///   - members: the participants who want a layer, and whose network is measured.
    ///   - layers: all layers.
    ///   - now: the current time.
    ///   - apply: is called with each change.
    mutating func update(
        _ members: [Member], layers: [BitrateAllocator.Layer], at now: MediaTime, _ apply: (Change) -> Void
    ) {
        standings.removeAll { standing in !members.contains { $0.id == standing.id } }
        let floor = Floor(members, layers)
        for member in members {
            let others = floor.flatMap { least(of: members, besides: member, $0) }
            if let index = standings.firstIndex(where: { $0.id == member.id }) {
                step(index, member, floor, others, at: now, apply)
            } else {
                standings.append(Standing(id: member.id))
                guard let floor, let others, floor.concerns(member), member.bits < others else { continue }
                reduce(standings.count - 1, to: floor.carried(member.bits), at: now, apply)
                standings[standings.count - 1].isNewUntil = now + LayerReductions.newness
                standings[standings.count - 1].probeTime = now
            }
        }
    }

    /// What the others get who get the layer, less what they would not notice; `nil` if there are none.
    private func least(of members: [Member], besides member: Member, _ floor: Floor) -> Int? {
        let others = members.filter { other in
            other.id != member.id && other.bits >= floor.bits && floor.concerns(other)
                && standings.contains { $0.id == other.id && $0.allowed == .all }
        }
        return others.map(\.bits).min().map { Int(Double(min($0, floor.most)) * LayerReductions.harmless) }
    }

    private mutating func step(
        _ index: Int, _ member: Member, _ floor: Floor?, _ others: Int?, at now: MediaTime, _ apply: (Change) -> Void
    ) {
        let standing = standings[index]
        guard let floor, let others else {
            if standing.allowed != .all { restore(index, at: now, apply) }
            return
        }
        guard standing.allowed != .all else {
            guard floor.concerns(member), member.bits < floor.bits else {
                standings[index].pendingSince = nil
                return
            }
            if isDue(index, after: LayerReductions.shortfall, at: now) {
                reduce(index, to: floor.carried(member.bits), at: now, apply)
            }
            return
        }
        let isNew = standing.isNewUntil.map { now < $0 } ?? false
        let enough = Int(Double(floor.bits) * BitrateAllocator.hysteresis)
        let goal = isNew ? max(enough, others) : enough
        if member.bits >= goal {
            if isDue(index, after: isNew ? .zero : standing.hold, at: now) { restore(index, at: now, apply) }
            return
        }
        standings[index].pendingSince = nil
        if now >= standing.probeTime {
            apply(.probe(member.id, of: Bitrate(bitsPerSecond: Int(Double(goal) * LayerReductions.probeFactor))))
            // The first one may come before there is anything to probe with.
            standings[index].probeTime = now + (isNew ? .milliseconds(500) : standing.probeInterval)
            standings[index].probeInterval = min(standing.probeInterval * 2, LayerReductions.longestHold)
        }
        let carried = floor.carried(member.bits)
        if carried != standing.allowed {
            standings[index].allowed = carried
            apply(.limited(member.id, to: carried))
        }
    }

    private mutating func isDue(_ index: Int, after time: MediaDuration, at now: MediaTime) -> Bool {
        let since = standings[index].pendingSince ?? now
        standings[index].pendingSince = since
        return now - since >= time
    }

    private mutating func reduce(_ index: Int, to layers: LayerSet, at now: MediaTime, _ apply: (Change) -> Void) {
        let lasted = standings[index].returned.map { now - $0 >= LayerReductions.trial } ?? true
        standings[index].hold =
            lasted ? LayerReductions.firstHold : min(standings[index].hold * 2, LayerReductions.longestHold)
        standings[index].allowed = layers
        standings[index].pendingSince = nil
        standings[index].probeInterval = LayerReductions.firstHold
        standings[index].probeTime = now + LayerReductions.firstHold
        apply(.limited(standings[index].id, to: layers))
    }

    private mutating func restore(_ index: Int, at now: MediaTime, _ apply: (Change) -> Void) {
        standings[index].allowed = .all
        standings[index].isNewUntil = nil
        standings[index].returned = now
        standings[index].pendingSince = nil
        apply(.limited(standings[index].id, to: .all))
    }
}

/// Layers by their places, of which there are at most three.
struct LayerSet: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let all = LayerSet(rawValue: .max)

    static func layer(_ place: Int) -> LayerSet { LayerSet(rawValue: 1 << UInt8(place)) }

    func contains(layer place: Int) -> Bool { contains(.layer(place)) }
}
