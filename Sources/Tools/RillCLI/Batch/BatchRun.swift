import Rill
import RillCore
import RillThreads
import RillTranscode
import Synchronization

/// A running batch: its jobs start in their order, one per thread. When no job is left, a thread is lent to jobs that
/// have segments (``SpareThreads``). The output does not depend on the threads.
///
/// Memory: that of one job per thread. Any thread.
final class BatchRun: Sendable {
    /// The state of a job.
    enum Status: Sendable {
        case waiting
        /// Running, with the frame count of the input if known.
        case running(TranscodeProgress?, frameCount: Int?)
        case ended(BatchResult)
    }

    /// The state of all jobs at one moment.
    struct Snapshot: Sendable {
        var statuses: [Status]
        /// The indices of the ended jobs, in the order in which they ended.
        var ended: [Int] = []
    }

    private struct State: ~Copyable {
        var snapshot: Snapshot
        var next = 0
    }

    private let jobs: [BatchJob]
    private let manifest: BatchManifest
    private let state: Monitor<State>
    private let spareThreads: SpareThreads
    private let isCancelled = Atomic(false)

    /// Starts all jobs that are not done yet.
    ///
    /// - Throws: ``ThreadError`` if there is not even one thread.
    init(_ plan: BatchPlan, _ manifest: BatchManifest, resumes: Bool, threads: Int) throws(ThreadError) {
        jobs = plan.jobs
        self.manifest = manifest
        var snapshot = Snapshot(statuses: jobs.map { _ in .waiting })
        for (index, job) in jobs.enumerated() where resumes {
            guard let record = manifest.record(of: job.job) else { continue }
            snapshot.statuses[index] = .ended(BatchResult(skipping: record))
            snapshot.ended.append(index)
        }
        let workers = min(threads, jobs.count - snapshot.ended.count)
        state = Monitor(State(snapshot: snapshot))
        spareThreads = SpareThreads(threads - workers)
        for index in 0..<workers {
            do throws(ThreadError) {
                _ = try NamedThread("rill-job-\(index)") {
                    while let job = self.takeJob() { self.work(on: job) }
                    self.spareThreads.add()
                }
            } catch {
                // Fewer jobs run at once, which changes no output.
                guard index > 0 else { throw error }
                break
            }
        }
    }

    /// Waits until more than `count` jobs have ended, or until `duration` has passed.
    func wait(pastEnd count: Int, atMost duration: MediaDuration) -> Snapshot {
        let clock = LiveClock()
        let deadline = clock.monotonic(clock.now + duration)
        let snapshot = state.wait(untilMonotonic: deadline) { state in
            state.snapshot.ended.count > count ? state.snapshot : nil
        }
        return snapshot ?? state.withLock { $0.snapshot }
    }

    /// Cancels the batch. Does not wait for its end.
    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    private var isWanted: Bool { !isCancelled.load(ordering: .relaxed) }

    // MARK: Work

    private func takeJob() -> Int? {
        state.withLock { state in
            while state.next < jobs.count {
                defer { state.next += 1 }
                guard case .waiting = state.snapshot.statuses[state.next] else { continue }
                state.snapshot.statuses[state.next] = .running(nil, frameCount: nil)
                return state.next
            }
            return nil
        }
    }

    private func work(on index: Int) {
        let result = isWanted ? transcode(index) : BatchResult(CommandError.interrupted)
        state.change { state in
            state.snapshot.statuses[index] = .ended(result)
            state.snapshot.ended.append(index)
        }
    }

    private func transcode(_ index: Int) -> BatchResult {
        var job = jobs[index].job
        job.spareThreads = spareThreads
        // Taken before the input is opened, so that a change during the job is noticed later.
        let key = BatchRecord.Key(job)
        var frameCount: Int?
        do {
            var outcome = try job.run {
                frameCount = $0
            } watch: { progress in
                state.withLock { $0.snapshot.statuses[index] = .running(progress, frameCount: frameCount) }
                return isWanted
            }
            guard let key else { return BatchResult(outcome) }
            do { try manifest.append(BatchRecord(key, outcome)) } catch {
                // The outputs are complete, but `--resume` will run the job again.
                outcome.notices.append("not recorded in the manifest: \(error)")
            }
            return BatchResult(outcome)
        } catch { return BatchResult(error) }
    }
}
