package import RillCore
package import RillSession

/// Says what a pipeline may send at present: a session with congestion control, or the sessions of a call.
package protocol SendingBudget: AnyObject, Sendable {
    /// What may be sent now; `nil` for anything.
    func allowance(at now: MediaTime) -> SendingAllowance?
}

extension SharedSession: SendingBudget {
    package func allowance(at now: MediaTime) -> SendingAllowance? { look { $0.allowance(at: now) } }
}

extension SendPipeline {
    /// Follows another budget than its own session's.
    func follow(_ budget: any SendingBudget) { self.budget.withLock { $0 = Budget(budget: budget) } }

    /// Whether packets of its own session wait to leave.
    package var hasPacketsWaiting: Bool { session?.look { $0.pacedPacketCount > 0 } ?? false }

    /// Fits the next frames to what may be sent: before each frame, so that encoders follow within one.
    func followBudget(at now: MediaTime) {
        guard let allowance = budget.withLock({ $0 })?.budget?.allowance(at: now) else { return }
        state.withLock { state in
            state.decisions.setNetwork(allowance.frameBitrate, next: allowance.nextFrameBitrate)
            guard let obstacle = allowance.obstacle else { return }
            state.decisions.skipNextFrames(because: obstacle == .queueFull ? .queueFull : .windowFull)
        }
    }
}
