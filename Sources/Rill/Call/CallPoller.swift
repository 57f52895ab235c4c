import RillCore
import RillThreads

/// A decoding thread of a call: it does what is due for its participants, in turn, one frame of one of them at a time.
///
/// A state behind a lock, which calls nothing of anybody else's: sinks and events are called by the thread when it holds nothing.
final class CallPoller: Sendable {
    private let state = Monitor(State())
    private let clock: LiveClock
    private let thread = Monitor<NamedThread?>(nil)

    fileprivate struct State: ~Copyable {
        var members: [Member?] = []
        /// The one that is asked first: the one behind that which was served last, so that none starves.
        var first = 0
        /// What the thread sleeps until, when it sleeps.
        var deadline = MediaTime.distantFuture
        var isStopping = false
    }

    fileprivate struct Member {
        let participant: CallParticipant
        /// When it wants to be served; not before it was given back while it is.
        var wakeTime: MediaTime
        var isServed = false
    }

    private enum Answer {
        case serve(CallParticipant, Int)
        case wait(until: MediaTime)
        case stop
    }

    init(_ name: String, clock: LiveClock, affinity: NamedThread.CPUAffinity) {
        self.clock = clock
        let worker = NamedThread(name, timeSlice: .long, affinity: affinity) { [self] in run() }
        thread.withLock { $0 = worker }
    }

    /// How many it serves.
    var count: Int { state.withLock { state in state.members.count { $0 != nil } } }

    /// Whether this is the thread that asks.
    var isCurrent: Bool { thread.withLock { $0 }?.isCurrent ?? false }

    /// Serves one more; `nil` where the call is over meanwhile.
    func add(_ participant: CallParticipant) -> Int? {
        state.change { state in
            guard !state.isStopping else { return nil }
            let member = Member(participant: participant, wakeTime: MediaTime(nanoseconds: .min))
            guard let place = state.members.firstIndex(where: { $0 == nil }) else {
                state.members.append(member)
                return state.members.count - 1
            }
            state.members[place] = member
            return place
        }
    }

    /// The participant wants to be served then, if it did not want it before.
    func wake(_ participant: CallParticipant, at place: Int, when time: MediaTime) {
        state.changeWaking { state in
            guard place < state.members.count, let member = state.members[place], member.participant === participant,
                time < member.wakeTime
            else { return false }
            state.members[place]?.wakeTime = time
            return !member.isServed && time < state.deadline
        }
    }

    /// Ends when all have left, and waits for that.
    func stop() {
        state.change { $0.isStopping = true }
        let thread = thread.withLock { $0.take() }
        if let thread, !thread.isCurrent { thread.join() }
    }

    private func run() {
        var bytes: [UInt8] = []
        while let (participant, place) = next() {
            let answer = participant.serve(at: clock.now, into: &bytes)
            state.withLock { state in
                guard let time = answer else {
                    state.members[place] = nil
                    return
                }
                let wakeTime = state.members[place]?.wakeTime ?? time
                state.members[place]?.wakeTime = min(wakeTime, time)
                state.members[place]?.isServed = false
            }
        }
    }

    /// Waits for somebody to be due; `nil` once the call is over for all.
    private func next() -> (CallParticipant, Int)? {
        var deadline = MediaTime.distantFuture
        while true {
            let answer: Answer? = state.wait(untilMonotonic: clock.monotonic(deadline)) { state in
                let now = clock.now
                if let found = state.takeDue(at: now) { return .serve(found.participant, found.place) }
                if state.isStopping, state.members.allSatisfy({ $0 == nil }) { return .stop }
                return state.deadline == deadline ? nil : .wait(until: state.deadline)
            }
            switch answer {
            case .serve(let participant, let place): return (participant, place)
            case .wait(let time): deadline = time
            case .stop: return nil
            // The deadline has passed and nobody was due: it is asked for anew.
            case nil: deadline = .distantFuture
            }
        }
    }
}

extension CallPoller.State {
    /// Takes the next one that is due, to be given back; else it is known until when nobody is.
    fileprivate mutating func takeDue(at now: MediaTime) -> (participant: CallParticipant, place: Int)? {
        var next = MediaTime.distantFuture
        for offset in members.indices {
            var place = first + offset
            if place >= members.count { place -= members.count }
            guard let member = members[place] else { continue }
            guard member.wakeTime <= now else {
                next = min(next, member.wakeTime)
                continue
            }
            members[place]?.wakeTime = .distantFuture
            members[place]?.isServed = true
            first = place + 1
            return (member.participant, place)
        }
        deadline = next
        return nil
    }
}
