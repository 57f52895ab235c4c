import Glibc
import Rill

extension VideoCall {
    /// Ends the call and blocks this thread until then. The thread must not belong to the tasks' shared pool.
    func waitForEnd() {
        let ended = Tally()
        Task {
            await end()
            ended.add()
        }
        while ended.count == 0 { usleep(5000) }
    }
}
