package import RillCore
package import RillSession

/// Says what a pipeline may send at present: a session with congestion control, or those of a call.
package protocol SendingBudget: AnyObject, Sendable {
    /// What may be sent now; `nil` for anything.
    func allowance(at now: MediaTime) -> SendingAllowance?
}

extension SendPipeline {
    /// Fits frames to what may be sent, from the next one on. The budget is not kept alive.
    func follow(_ budget: any SendingBudget) { self.budget.withLock { $0 = Budget(budget: budget) } }

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
