internal import CThreads
import Glibc

/// The processors that this process may use: those of its CPU affinity, and as many as the CPU quota of its control
/// group pays for. A machine may have more of them (containers, `taskset`, systemd's `CPUQuota`).
package enum ProcessorCount {
    /// How many threads of work run at once without waiting for each other, at least 1.
    package static let usable = ProcessorCount.usable(affinity: Int(CThreads_usable_cpu_count()), reading: contents)

    /// Computes the number from the number of processors in the affinity, and from files of the system.
    static func usable(affinity: Int, reading file: (_ path: String) -> String?) -> Int {
        // More than a million is no limit.
        let quota = quota(reading: file).map { Int(min($0, 1_000_000).rounded(.up)) } ?? affinity
        return max(1, min(affinity, quota))
    }

    /// The CPU time per time that the process's control group and all above it may use; `nil` for no limit.
    ///
    /// Sources: cgroups(7); `cpu.max` of version 2, `cpu.cfs_quota_us` of version 1.
    private static func quota(reading file: (_ path: String) -> String?) -> Double? {
        var quotas: [Double] = []
        for line in (file("/proc/self/cgroup") ?? "").split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            let isVersion2 = parts[1].isEmpty
            guard isVersion2 || parts[1].split(separator: ",").contains("cpu") else { continue }
            let root = isVersion2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/\(parts[1])"
            for folder in folders(upFrom: parts[2]) {
                let limit =
                    isVersion2
                    ? file("\(root)\(folder)/cpu.max")
                    : file("\(root)\(folder)/cpu.cfs_quota_us").flatMap { quota in
                        file("\(root)\(folder)/cpu.cfs_period_us").map { "\(quota) \($0)" }
                    }
                // "max 100000" and "-1 100000" are no limit.
                let numbers = (limit ?? "").split { $0 == " " || $0 == "\n" }.map { Double($0) }
                if numbers.count == 2, let time = numbers[0], let period = numbers[1], time > 0, period > 0 {
                    quotas.append(time / period)
                }
            }
        }
        return quotas.min()
    }

    /// A group's folder and all above it: `/a/b`, `/a` and the empty path of the root. In a container the path may be
    /// the machine's, and only the root be there.
    private static func folders(upFrom path: Substring) -> [Substring] {
        var (path, folders) = (path, [Substring]())
        while let slash = path.lastIndex(of: "/") {
            if path.count > 1 { folders.append(path) }
            path = path[..<slash]
        }
        return folders + [""]
    }

    /// The first bytes of a small file; `nil` if it cannot be read.
    private static func contents(of path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = unsafe max(0, read(descriptor, buffer.baseAddress, buffer.count))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
