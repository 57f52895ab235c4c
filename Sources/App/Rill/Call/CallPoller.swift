import RillCore
import RillThreads

/// A decoding thread of a call. It serves its participants in turn, one frame of one participant at a time.
///
/// Its state is behind a lock, under which it calls no foreign code. The thread calls sinks and events while it holds
/// no lock.
final class CallPoller: Sendable {
    private let state = Monitor(State())
    private let clock: LiveClock
    private let thread = Monitor<NamedThread?>(nil)

    fileprivate struct State: ~Copyable {
        var members: [Member?] = []
        /// The participant to check first: the one after the last served, so that none starves.
        var first = 0
        var routine: Routine?
        /// When the thread wakes, while it sleeps.
        var deadline = MediaTime.distantFuture
        var isStopping = false
    }

    fileprivate struct Member {
        let participant: CallParticipant
        /// When it needs to be served; while it is served, not before it is given back.
        var wakeTime: MediaTime
        var isServed = false
    }

    /// What is done between two frames, again and again.
    fileprivate struct Routine {
        let interval: MediaDuration
        let work: @Sendable () -> Void
        var nextTime: MediaTime
    }

    fileprivate enum Due {
        case participant(CallParticipant, at: Int)
        case routine(@Sendable () -> Void)
    }

    private enum Answer {
        case due(Due)
        case wait(until: MediaTime)
        case stop
    }

    init(_ name: String, clock: LiveClock, affinity: NamedThread.CPUAffinity) throws(ThreadError) {
        self.clock = clock
        let worker = try NamedThread(name, timeSlice: .long, affinity: affinity) { [self] in run() }
        thread.withLock { $0 = worker }
    }

    /// The number of participants it serves.
    var count: Int { state.withLock { state in state.members.count { $0 != nil } } }

    /// Whether the caller runs on this thread.
    var isCurrent: Bool { thread.withLock { $0 }?.isCurrent ?? false }

    /// Adds a participant; `nil` if the call has ended meanwhile.
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

    /// Serves the participant at `time`, unless it is already due earlier.
    func wake(_ participant: CallParticipant, at place: Int, when time: MediaTime) {
        state.changeWaking { state in
            guard place < state.members.count, let member = state.members[place], member.participant === participant,
                time < member.wakeTime
            else { return false }
            state.members[place]?.wakeTime = time
            return !member.isServed && time < state.deadline
        }
    }

    /// Whether the thread works for the participant at that place.
    func isServing(at place: Int) -> Bool { state.withLock { $0.members[place]?.isServed ?? false } }

    /// Does that work each `interval`, from one interval after now on, until the call ends.
    func perform(every interval: MediaDuration, _ work: @escaping @Sendable () -> Void) {
        let routine = Routine(interval: interval, work: work, nextTime: clock.now + interval)
        state.change { $0.routine = routine }
    }

    /// Ends the thread when all participants have left, and waits for that.
    func stop() {
        state.change { state in
            state.isStopping = true
            state.routine = nil
        }
        let thread = thread.withLock { $0.take() }
        if let thread, !thread.isCurrent { thread.join() }
    }

    private func run() {
        var bytes: [UInt8] = []
        while let due = next() {
            switch due {
            case .routine(let work): work()
            case .participant(let participant, let place):
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
    }

    /// Waits until something is due; `nil` once the call is over for all.
    private func next() -> Due? {
        var deadline = MediaTime.distantFuture
        while true {
            let answer: Answer? = state.wait(untilMonotonic: clock.monotonic(deadline)) { state in
                let now = clock.now
                if let due = state.takeDue(at: now) { return .due(due) }
                if state.isStopping, state.members.allSatisfy({ $0 == nil }) { return .stop }
                return state.deadline == deadline ? nil : .wait(until: state.deadline)
            }
            switch answer {
            case .due(let due): return due
            case .wait(let time): deadline = time
            case .stop: return nil
            // The deadline has passed and nothing was due: look again.
            case nil: deadline = .distantFuture
            }
        }
    }
}

extension CallPoller.State {
    /// Takes the next that is due; a participant is given back later. If there is nothing, sets `deadline`.
    fileprivate mutating func takeDue(at now: MediaTime) -> CallPoller.Due? {
        if let routine, routine.nextTime <= now {
            // What a long frame made it miss is left out.
            self.routine?.nextTime = max(routine.nextTime + routine.interval, now)
            return .routine(routine.work)
        }
        var next = routine?.nextTime ?? .distantFuture
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
            return .participant(member.participant, at: place)
        }
        deadline = next
        return nil
    }
}
