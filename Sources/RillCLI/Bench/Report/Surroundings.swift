import ArgumentParser
import Glibc
import Rill
import RillCodec
import RillCore
import RillPages

/// The machine and the programs, as far as they matter to a measurement.
enum Surroundings {
    static var machine: [BenchReport.Fact] {
        let model = field("model name", in: "/proc/cpuinfo") ?? "unknown"
        var facts = [
            BenchReport.Fact("processor", "\(model), \(sysconf(Int32(_SC_NPROCESSORS_ONLN))) threads"),
            BenchReport.Fact(
                "memory", "\(memoryByteCount >> 20) MiB"),
            BenchReport.Fact("kernel", firstLine("/proc/sys/kernel/osrelease") ?? "unknown"),
        ]
        if let system = field("PRETTY_NAME", in: "/etc/os-release", separator: "=") {
            facts.append(BenchReport.Fact("system", system.filter { $0 != "\"" }))
        }
        if let governor = firstLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") {
            facts.append(BenchReport.Fact("frequency governor", governor))
        }
        facts.append(BenchReport.Fact("load at the start", load))
        return facts
    }

    private static var memoryByteCount: Int {
        sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
    }

    /// Mean numbers of processes that ran or wanted to, over 1, 5 and 15 minutes.
    private static var load: String {
        firstLine("/proc/loadavg").map { $0.split(separator: " ").prefix(3).joined(separator: ", ") } ?? "unknown"
    }

    static func versions(in folder: BenchFolder) -> [BenchReport.Fact] {
        var facts = [
            BenchReport.Fact("Rill", Version.number),
            BenchReport.Fact("libvpx of Rill", VPXLibrary.version),
        ]
        for (name, program, argument, pattern) in [
            ("FFmpeg", "ffmpeg", "-version", "version"), ("GStreamer", "gst-launch-1.0", "--version", "GStreamer"),
            ("vpxenc", "vpxenc", "--help", "VP8 Encoder"), ("valgrind", "valgrind", "--version", "valgrind"),
        ] {
            guard let path = Tool.path(of: program) else {
                facts.append(BenchReport.Fact(name, "not installed"))
                continue
            }
            let line = Tool.firstLine(of: [path, argument], holding: pattern, in: folder)
            // Behind FFmpeg's version stand its authors.
            facts.append(
                BenchReport.Fact(name, line?.split(separator: " Copyright").first.map(String.init) ?? "does not say"))
        }
        return facts
    }

    private static func firstLine(_ path: String) -> String? {
        // Not every machine says everything of itself.
        (try? TextFile.read(path))?.split(separator: "\n").first.map(String.init)
    }

    private static func field(_ name: String, in path: String, separator: Character = ":") -> String? {
        (try? TextFile.read(path))?.split(separator: "\n").first { $0.hasPrefix(name) }  // as above
            .map { String($0.drop { $0 != separator }.dropFirst().drop { $0 == " " }) }
    }
}
