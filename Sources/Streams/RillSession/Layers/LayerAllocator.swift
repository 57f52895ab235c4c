package import RillCore

/// Shares out what the network of one connection carries among the pictures that are wanted on it: for each a layer, or
/// none.
///
/// A layer's bitrate is its sender's, so this chooses among what there is:
///
/// 1. what is sent besides, as sound, comes first (`reserved`);
/// 2. each picture that has several layers gets its smallest one, the most important first, and one that has a single
///    layer gets it where it fits; what does not fit is paused, least important first, but never all;
/// 3. what is left raises them, each as far as it fits, the most important first; nothing is raised while the smallest
///    layer of another is paused.
///
/// **In time.** What does not fit for 300 ms, or stands in the way for as long, is shared out again. Up it goes with
/// room to spare, and once a fall has shown that there is less than it seems, only after that room was there for 2 s:
/// then all rise as far as the estimate does. The time doubles up to 30 s each time that a rise does not last 10 s, and
/// is 2 s again once the network carries twice as much as at the fall; what is paused never waits longer. A change of
/// what is wanted is followed at once.
///
/// **Probes.** Small layers alone do not show what a network carries. While less is sent than is wanted,
/// ``probeBitrate(at:)`` names what to try: what all of it needs, and no more than twice what is known.
///
/// A pure value: it reads no clock, and the same calls give the same results.
package struct LayerAllocator: Sendable {
    /// A picture that is wanted.
    package struct Request: Sendable {
        /// Its number, the same in each call.
        package var id: Int
        /// What is wanted of it, in the caller's own terms: another value is another wish.
        package var wish: Int
        /// Where several want the same room, the greater one has it; of equal ones the first.
        package var importance: Int
        /// The bitrates of the layers that may be sent, with all headers, in bits per second: the best one that is
        /// wanted first. Empty while no layer brings frames.
        package var bitrates: [Double]
        /// Whether these are large layers alone, and its small one brings no frames: then all others have theirs first.
        package var lacksSmall: Bool
        /// Which of these layers is sent, or was chosen; `nil` for none.
        package var current: Int?

        package init(
            id: Int, wish: Int = 0, importance: Int = 0, bitrates: [Double], lacksSmall: Bool = false, current: Int?
        ) {
            (self.id, self.wish, self.importance) = (id, wish, importance)
            (self.bitrates, self.lacksSmall, self.current) = (bitrates, lacksSmall, current)
        }

        fileprivate func bits(of layer: Int?) -> Double { layer.map { bitrates[$0] } ?? 0 }
    }

    /// What the network carries.
    package struct Room: Sendable {
        /// The estimate, in bits per second; `nil` if it is not known.
        package var estimate: Double?
        /// What is sent besides the pictures, in bits per second.
        package var reserved: Double
        /// Whether what was sent last still waits.
        package var isFull: Bool

        package init(estimate: Double?, reserved: Double = 0, isFull: Bool = false) {
            (self.estimate, self.reserved, self.isFull) = (estimate, reserved, isFull)
        }
    }

    /// What was wanted of a picture in the last call.
    private struct Former {
        var id: Int
        var wish: Int
        var importance: Int
        /// How many layers there were, if none was sent for lack of room.
        var pausedCount: Int?
    }

    private var formers: [Former] = []
    /// The time for which a rise must fit before it is made; zero before the first fall.
    private var hold = MediaDuration.zero
    /// Since when a rise fits.
    private var coveredSince: MediaTime?
    /// When the last rise was made.
    private var roseAt: MediaTime?
    /// The same, unless something has fallen since: what the estimate covers next belongs to that rise.
    private var climbedAt: MediaTime?
    /// What the network was taken to carry at the last fall.
    private var fallEstimate = Double.infinity
    /// Since when what is sent does not fit.
    private var lackSince: MediaTime?
    /// What is wanted needs so much in all, in bits per second; `nil` if all of it is sent.
    private var goal: Double?
    private var estimate = 0.0
    private var probeTime = MediaTime.distantFuture
    private var probedEstimate = 0.0
    /// Whether even what is sent does not fit.
    private var isStarved = false

    /// The room that a rise needs, and what may be lacking for a moment: rates of layers are measured over one to two
    /// seconds, in which a key frame counts much.
    private static let margin = (up: 1.15, down: 0.95)
    /// How long there may be too little room. An estimate dips for a round trip.
    private static let shortfall = MediaDuration.milliseconds(300)
    private static let firstHold = MediaDuration.seconds(2)
    private static let longestHold = MediaDuration.seconds(30)
    /// A rise that lasts so long was right.
    private static let trial = MediaDuration.seconds(10)
    /// From one probe to the next at least, in seconds. One that showed more is followed by the next one sooner.
    private static let probeInterval = 2.0
    private static let followUp = MediaDuration.milliseconds(500)
    /// What a probe takes: five packets, in bytes, or 15 ms at its rate.
    private static let probeSize = 6000.0
    private static let probeLength = 0.015
    /// The share of the estimate that probes may take; where hardly anything else is sent, they are what helps.
    private static let probeShare = (usual: 0.05, starved: 0.25)

    package init() {}

    /// Chooses a layer for each picture.
    ///
    /// - Parameters:
    ///   - requests: the pictures.
    ///   - room: what the network carries.
    ///   - now: the current time.
    /// - Returns: for each picture the place of its layer; `nil` for a pause, and where there is no layer.
    package mutating func allocate(_ requests: [Request], in room: Room, at now: MediaTime) -> [Int?] {
        guard let known = room.estimate else { return requests.map { $0.bitrates.isEmpty ? nil : 0 } }
        estimate = known
        var chosen = choose(requests, max(0, known - room.reserved), isFull: room.isFull, at: now)
        keepOne(of: requests, &chosen)
        formers = zip(requests, chosen).map { request, layer in
            Former(
                id: request.id, wish: request.wish, importance: request.importance,
                pausedCount: layer == nil && !request.bitrates.isEmpty ? request.bitrates.count : nil)
        }
        noteGoal(requests, chosen, reserved: room.reserved, at: now)
        return chosen
    }

    private mutating func choose(
        _ requests: [Request], _ space: Double, isFull: Bool, at now: MediaTime
    ) -> [Int?] {
        let present = requests.map(\.current)
        // Who begins, or is wanted otherwise than before, need not wait; nobody else rises with them.
        let best = requests.map { isOpen($0) ? 0 : $0.current ?? $0.bitrates.count }
        if zip(best, requests).contains(where: { $0 != $1.current ?? $1.bitrates.count }) {
            return LayerAllocator.share(space, among: requests, atBest: best)
        }
        let sum = requests.reduce(0) { $0 + $1.bits(of: $1.current) }
        if isFull || sum * LayerAllocator.margin.down > space {
            coveredSince = nil
            let since = lackSince ?? now
            lackSince = since
            guard now - since >= LayerAllocator.shortfall else { return present }
            noteFall(at: now)
            // What waits shows that less fits than is said.
            return LayerAllocator.share(min(space, sum - 1), among: requests, atBest: best)
        }
        lackSince = nil
        let better = LayerAllocator.share(space / LayerAllocator.margin.up, among: requests)
        guard zip(better, present).contains(where: { LayerAllocator.isRise(from: $1, to: $0) }) else {
            coveredSince = nil
            return present
        }
        let since = coveredSince ?? now
        coveredSince = since
        if estimate >= fallEstimate * 2 { hold = min(hold, LayerAllocator.firstHold) }
        // Where one gives way to another, both are seen to change.
        let isExchange = zip(better, present).contains { LayerAllocator.isRise(from: $0, to: $1) }
        if isExchange { hold = max(hold, LayerAllocator.firstHold) }
        let isClimbing = !isExchange && climbedAt.map { now - $0 < LayerAllocator.firstHold } ?? false
        guard isClimbing || now - since >= hold else {
            // Those that are paused return sooner than others rise, where nobody falls for it.
            guard now - since >= LayerAllocator.firstHold else { return present }
            let least = requests.map { $0.current ?? max($0.bitrates.count - 1, 0) }
            let resumed = LayerAllocator.share(space / LayerAllocator.margin.up, among: requests, atBest: least)
            let isFall = zip(resumed, present).contains { LayerAllocator.isRise(from: $0, to: $1) }
            return isFall ? present : resumed
        }
        coveredSince = nil
        (roseAt, climbedAt) = (now, isExchange ? nil : now)
        return better
    }

    /// Sees to it that the most important picture is not paused: where nothing is sent, nothing shows that the network
    /// carries more again.
    private func keepOne(of requests: [Request], _ chosen: inout [Int?]) {
        guard chosen.allSatisfy({ $0 == nil }) else { return }
        let usable = requests.indices.filter { !requests[$0].bitrates.isEmpty }
        guard let first = usable.max(by: { (requests[$0].importance, -$0) < (requests[$1].importance, -$1) }) else {
            return
        }
        chosen[first] = requests[first].bitrates.count - 1
    }

    /// Whether a picture's layer is to be chosen at once.
    private func isOpen(_ request: Request) -> Bool {
        guard let former = formers.first(where: { $0.id == request.id }) else { return true }
        return former.wish != request.wish || former.importance != request.importance
            || request.current == nil && former.pausedCount != request.bitrates.count
    }

    private static func isRise(from layer: Int?, to other: Int?) -> Bool {
        guard let other else { return false }
        return layer.map { other < $0 } ?? true
    }

    private mutating func noteFall(at now: MediaTime) {
        (lackSince, climbedAt) = (nil, nil)
        let isFlapping = roseAt.map { now - $0 < LayerAllocator.trial } ?? false
        let next = isFlapping ? min(hold * 2, LayerAllocator.longestHold) : .zero
        hold = max(next, LayerAllocator.firstHold)
        fallEstimate = estimate
    }

    /// Shares out a bitrate.
    ///
    /// - Parameters:
    ///   - space: the bitrate.
    ///   - requests: the pictures.
    ///   - best: the place of the best layer that each may have, the number of its layers for none; `nil` for all.
    /// - Returns: the place of each one's layer; `nil` for a pause, and where there is no layer. Their sum is at most
    ///   `space`.
    package static func share(_ space: Double, among requests: [Request], atBest best: [Int]? = nil) -> [Int?] {
        var chosen = [Int?](repeating: nil, count: requests.count)
        let order = requests.indices.sorted { (requests[$0].importance, $1) > (requests[$1].importance, $0) }
        var (left, isPaused) = (space, false)
        for index in order {
            let bitrates = requests[index].bitrates
            guard let least = bitrates.last, !requests[index].lacksSmall else { continue }
            if least <= left, best.map({ $0[index] < bitrates.count }) ?? true {
                chosen[index] = bitrates.count - 1
                left -= least
            } else if bitrates.count > 1 {
                isPaused = true
            }
        }
        guard !isPaused else { return chosen }
        for index in order {
            let request = requests[index]
            guard let end = chosen[index] ?? (request.lacksSmall ? request.bitrates.count : nil) else { continue }
            let (present, bitrates) = (request.bits(of: chosen[index]), request.bitrates)
            let better = min(best?[index] ?? 0, end)..<end
            guard let layer = better.first(where: { bitrates[$0] - present <= left }) else { continue }
            chosen[index] = layer
            left -= bitrates[layer] - present
        }
        return chosen
    }

    // MARK: Probes

    /// Notes what all that is wanted needs.
    private mutating func noteGoal(_ requests: [Request], _ chosen: [Int?], reserved: Double, at now: MediaTime) {
        let isContent = zip(requests, chosen).allSatisfy { $1 == ($0.bitrates.isEmpty ? nil : 0) }
        let most = requests.reduce(reserved) { $0 + ($1.bitrates.first ?? 0) }
        let sent = zip(requests, chosen).reduce(reserved) { $0 + $1.0.bits(of: $1.1) }
        isStarved = sent > estimate
        goal = isContent && !isStarved ? nil : most * LayerAllocator.margin.up
        if goal == nil {
            probeTime = .distantFuture
        } else if probeTime == .distantFuture {
            probeTime = now + LayerAllocator.followUp
        }
    }

    /// What to probe the network with now, in bits per second with all headers; `nil` for nothing.
    ///
    /// - Parameter now: the current time.
    package mutating func probeBitrate(at now: MediaTime) -> Double? {
        guard let goal, now >= probeTime else { return nil }
        let hasRisen = estimate > probedEstimate * 1.2
        let bitrate = min(goal, 2 * estimate)
        let bits = max(8 * LayerAllocator.probeSize, bitrate * LayerAllocator.probeLength)
        let share = isStarved ? LayerAllocator.probeShare.starved : LayerAllocator.probeShare.usual
        let interval = max(bits / (share * max(estimate, 1)), LayerAllocator.probeInterval)
        probeTime = now + (hasRisen ? LayerAllocator.followUp : MediaDuration(nanoseconds: Int64(interval * 1e9)))
        probedEstimate = estimate
        // A rise that is known to fit waits for its time only.
        return goal > estimate ? bitrate : nil
    }
}
