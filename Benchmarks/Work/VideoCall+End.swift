import Glibc
import Rill

extension VideoCall {
    /// Ends the call, and waits for that on this thread, which is none of those that tasks share.
    func waitForEnd() {
        let ended = Tally()
        Task {
            await end()
            ended.add()
        }
        while ended.count == 0 { usleep(5000) }
    }
}
