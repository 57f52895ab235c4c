import Testing

@testable import RillThreads

/// How many processors a process may use, from files of control groups as systemd, Docker and Kubernetes make them.
@Suite struct ProcessorCountTests {
    private func usable(_ affinity: Int, _ files: [String: String]) -> Int {
        ProcessorCount.usable(affinity: affinity) { files[$0] }
    }

    @Test func `Without a quota it is the affinity`() {
        #expect(usable(4, [:]) == 4)
        #expect(usable(0, [:]) == 1)
        let files = [
            "/proc/self/cgroup": "0::/user.slice/run.scope\n", "/sys/fs/cgroup/user.slice/cpu.max": "max 100000\n",
        ]
        #expect(usable(64, files) == 64)
    }

    @Test(arguments: [("200000 100000", 2), ("150000 100000", 2), ("50000 100000", 1), ("400000 50000", 8)])
    func `A quota of version 2 is whole processors, rounded up`(quota: String, count: Int) {
        let files = [
            "/proc/self/cgroup": "0::/system.slice/rill.service\n",
            "/sys/fs/cgroup/system.slice/rill.service/cpu.max": quota + "\n",
        ]
        #expect(usable(16, files) == count)
        #expect(usable(1, files) == 1)
    }

    @Test func `The least of a group and those above it counts, and a container's root`() {
        let nested = [
            "/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/b/cpu.max": "800000 100000\n",
            "/sys/fs/cgroup/a/cpu.max": "300000 100000\n",
        ]
        #expect(usable(16, nested) == 3)
        #expect(usable(16, ["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "200000 100000\n"]) == 2)
    }

    @Test func `Version 1 has two files`() {
        let group = "11:memory:/docker/7\n4:cpu,cpuacct:/docker/7\n"
        func files(_ quota: String) -> [String: String] {
            [
                "/proc/self/cgroup": group, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": quota + "\n",
                "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
            ]
        }
        #expect(usable(16, files("250000")) == 3)
        #expect(usable(16, files("-1")) == 16)
    }

    @Test(arguments: ["", "x y", "0 0", "100000", "-5 100000", "1e400 100000", "nan 100000", "100000 nan"])
    func `Files that say something else are no limit`(text: String) {
        let files = ["/proc/self/cgroup": "0::/a\nx\n::\n", "/sys/fs/cgroup/a/cpu.max": text]
        #expect(usable(16, files) == 16)
    }

    @Test func `This process has at least one`() { #expect((1...65_536).contains(ProcessorCount.usable)) }
}
