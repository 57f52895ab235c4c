import Foundation
import RillCore
import Testing

@testable import RillThreads

/// What a live session's threads ask of the system, as the system tells it.
@Suite struct NamedThreadTests {
    /// The lines of a file in the folder that the kernel keeps of the calling thread, by their first words.
    private static func kernelValues(_ file: String) -> [String: String] {
        // A kernel without the file has no values.
        guard let text = try? String(contentsOfFile: "/proc/thread-self/\(file)", encoding: .utf8) else { return [:] }
        let pairs = text.split(separator: "\n").compactMap { line -> (String, String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            return (line[..<colon].trimmingCharacters(in: .whitespaces), value)
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// What a thread of that kind reads there.
    private func values(
        _ file: String, timeSlice: NamedThread.TimeSlice = .ordinary, affinity: NamedThread.CPUAffinity = .any
    ) throws -> [String: String] {
        let values = Monitor([String: String]())
        try NamedThread("asked", timeSlice: timeSlice, affinity: affinity) {
            let found = NamedThreadTests.kernelValues(file)
            values.withLock { $0 = found }
        }.join()
        return values.withLock { $0 }
    }

    /// The numbers of a list such as `0-2,5`.
    private func processors(on affinity: NamedThread.CPUAffinity) throws -> [Int] {
        let list = try #require(try values("status", affinity: affinity)["Cpus_allowed_list"])
        return list.split(separator: ",").flatMap { range in
            let ends = range.split(separator: "-").compactMap { Int($0) }
            return ends.isEmpty ? [] : Array(ends[0]...ends[ends.count - 1])
        }
    }

    @Test func `The last processor and the rest are all that the process may use`() throws {
        let all = try processors(on: .any)
        try #require(!all.isEmpty)
        guard all.count > 1 else {
            #expect(try processors(on: .last) == all && processors(on: .allButLast) == all)
            return
        }
        #expect(try processors(on: .last) == all.suffix(1))
        #expect(try processors(on: .allButLast) == all.dropLast())
    }

    /// Only Linux 6.12 and later have time slices of a thread's own.
    private static let hasTimeSlices: Bool = {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return (version.majorVersion, version.minorVersion) >= (6, 12) && kernelValues("sched")["se.slice"] != nil
    }()

    @Test(
        .enabled(if: hasTimeSlices, "the kernel has no turns, or does not tell them"),
        arguments: [(NamedThread.TimeSlice.short, "100000"), (.medium, "2000000"), (.long, "10000000")])
    func `A thread requests its time slice`(slice: NamedThread.TimeSlice, nanoseconds: String) throws {
        #expect(try values("sched", timeSlice: slice)["se.slice"] == nanoseconds)
        #expect(try values("sched")["se.slice"] != nanoseconds)
    }
}
