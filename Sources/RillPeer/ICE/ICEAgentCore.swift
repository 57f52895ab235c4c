import RillCore

/// The state machine of an ``ICEAgent``.
///
/// A value in one place: a call to the agent accesses it once, instead of checking exclusive access for each property.
struct ICEAgentCore: ~Copyable {
    let settings: ICESettings
    let isLite: Bool
    var role: ICERole
    private(set) var state = ICEState.new

    var generation: ICEGeneration
    /// The one before the last restart, until a path of the new one is nominated. Its consent checks are still answered.
    var formerGeneration: ICEGeneration? { didSet { generationChangeCount += 1 } }
    /// How often it changed which credentials are accepted.
    private(set) var generationChangeCount = 0
    var random: SeededGenerator
    var tiebreaker: UInt64
    var isRemoteLite = false

    var locals: [Local] = []
    var remoteCandidates: [ICECandidate] = []
    /// Pairs of the current generation, and the selected one of the former.
    var pairs: [ICEPair] = []
    /// Pairs that are checked before all others, by their numbers (RFC 8445 §6.1.4.1).
    var triggered: [Int] = []
    var selectedID: Int?
    private var nextPairID = 0

    /// When the next check may begin: Ta after the last.
    var nextCheckTime = MediaTime(nanoseconds: .min)
    /// When to give up, if nothing is left to try.
    var connectDeadline: MediaTime?
    var startTime: MediaTime?
    /// When the best pair is nominated, even if a better one may still come.
    var nominationDeadline: MediaTime?
    /// The pair that is being nominated.
    var nominatingID: Int?
    /// Whether all pairs are checked anew, because the selected one is silent.
    var isRecovering = false
    var consent = ICEConsent()

    var responses: [ICEResponse] = []
    var events: [ICEEvent] = []

    struct Local {
        let candidate: ICECandidate
        let socket: Int
    }

    init(_ mode: ICEMode, _ credentials: ICECredentials, _ settings: ICESettings) {
        self.settings = settings
        switch mode {
        case .lite: (isLite, role) = (true, .controlled)
        case .full(let role): (isLite, self.role) = (false, role)
        }
        generation = ICEGeneration(credentials)
        random = SeededGenerator(seed: settings.seed)
        tiebreaker = random.next()
    }

    /// Where data goes.
    var selectedPath: ICEPath? { selectedIndex.map { pairs[$0].path } }

    mutating func begin(at now: MediaTime) {
        guard state == .new else { return }
        startTime = now
        connectDeadline = now + settings.connectTimeout
        setState(.checking)
    }

    mutating func setState(_ new: ICEState) {
        guard new != state else { return }
        events.append(.stateChanged(from: state, to: new))
        state = new
    }

    /// Begins with new credentials, and keeps the selected path and the candidates of this side.
    mutating func restart(with credentials: ICECredentials) {
        precondition(
            credentials.usernameFragment != generation.local.usernameFragment, "a restart needs a new username fragment"
        )
        let kept = selectedID
        formerGeneration = kept == nil ? nil : generation
        generation = ICEGeneration(credentials)
        remoteCandidates = []
        pairs.removeAll { $0.id != kept }
        for index in pairs.indices { pairs[index].check = nil }
        triggered = []
        (nominatingID, nominationDeadline, connectDeadline, startTime) = (nil, nil, nil, nil)
        isRecovering = false
        if kept == nil {
            setState(.new)
        } else if state == .completed {
            setState(.connected)
        }
    }

    /// Ends the former generation, its pairs included.
    mutating func endFormerGeneration() {
        guard formerGeneration != nil else { return }
        formerGeneration = nil
        let current = generation
        pairs.removeAll { $0.generation !== current }
    }

    mutating func makePairID() -> Int {
        nextPairID += 1
        return nextPairID
    }

    // MARK: Statistics

    var statistics: [ICEPairStatistics] {
        pairs.map { pair in
            ICEPairStatistics(
                path: pair.path, local: pair.local, remote: pair.remote, priority: pair.priority, state: pair.state,
                isNominated: pair.isNominated, isSelected: pair.id == selectedID, counts: pair.counts)
        }
    }

    mutating func noteSent(byteCount: Int, on path: ICEPath, at now: MediaTime) {
        guard let index = validatedIndex(path) else { return }
        pairs[index].counts.packetsSent += 1
        pairs[index].counts.bytesSent += byteCount
        pairs[index].counts.lastPacketSentTime = now
    }
}
