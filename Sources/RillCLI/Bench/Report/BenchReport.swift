import Rill
import RillCore

/// All that `rill bench` found out, and all that is needed to do it again.
struct BenchReport: Codable, Sendable {
    var clip: String
    /// The size of its pictures: `1280x720`.
    var resolution: String
    var turns: Int
    /// Names and values: the machine, and the programs.
    var machine: [Fact]
    var versions: [Fact]
    var jobs: [JobResult]
    /// What live calls went through; `nil` where that was not measured.
    var latency: LatencyResult?
    /// Senders and receivers in numbers; `nil` where that was not measured.
    var scale: ScaleResult?
    /// Beside what stands in `jobs`: where Rill is ahead, level and behind.
    var comparisons: [String: [Comparison]] {
        Dictionary(uniqueKeysWithValues: jobs.map { ($0.name, $0.comparisons) })
    }

    /// A name and a value.
    struct Fact: Codable, Sendable, Equatable {
        var name: String
        var value: String

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    private enum CodingKeys: String, CodingKey {
        case clip, resolution, turns, machine, versions, jobs, latency, scale, comparisons, bars
    }

    init(
        clip: String, resolution: Resolution, turns: Int, machine: [Fact], versions: [Fact], jobs: [JobResult],
        latency: LatencyResult? = nil, scale: ScaleResult? = nil
    ) {
        (self.clip, self.resolution, self.turns) = (clip, "\(resolution)", turns)
        (self.machine, self.versions) = (machine, versions)
        (self.jobs, self.latency, self.scale) = (jobs, latency, scale)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        clip = try container.decode(String.self, forKey: .clip)
        resolution = try container.decode(String.self, forKey: .resolution)
        turns = try container.decode(Int.self, forKey: .turns)
        machine = try container.decode([Fact].self, forKey: .machine)
        versions = try container.decode([Fact].self, forKey: .versions)
        jobs = try container.decode([JobResult].self, forKey: .jobs)
        latency = try container.decodeIfPresent(LatencyResult.self, forKey: .latency)
        scale = try container.decodeIfPresent(ScaleResult.self, forKey: .scale)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(clip, forKey: .clip)
        try container.encode(resolution, forKey: .resolution)
        try container.encode(turns, forKey: .turns)
        try container.encode(machine, forKey: .machine)
        try container.encode(versions, forKey: .versions)
        try container.encode(jobs, forKey: .jobs)
        try container.encodeIfPresent(latency, forKey: .latency)
        try container.encodeIfPresent(scale, forKey: .scale)
        try container.encode(comparisons, forKey: .comparisons)
        try container.encode(bars, forKey: .bars)
    }

    /// What is promised, and was measured.
    var bars: [Bar] {
        // What is promised of sending is promised at this size.
        let sending = resolution == Resolution.hd720.description ? jobs.first { $0.name == "send" } : nil
        return (sending.map { SendBars($0).bars } ?? []) + (latency?.bars ?? []) + (scale?.bars ?? [])
    }

    /// How many of the comparisons with rivals end in each verdict.
    func count(_ verdict: Verdict) -> Int {
        jobs.flatMap(\.comparisons).count { $0.verdict == verdict }
    }

    /// The result in a sentence.
    var headline: String {
        let all = jobs.flatMap(\.comparisons).filter { $0.verdict != nil }
        guard !jobs.isEmpty else { return "" }
        guard !all.isEmpty else { return "Nobody was there to compare Rill with." }
        let counts = Verdict.allCases.map { "\($0.rawValue) in \(count($0))" }
        return
            "Of \(all.count) \(all.count == 1 ? "comparison" : "comparisons") Rill is \(counts[0]), \(counts[1]) and \(counts[2])."
    }

    /// Where Rill is behind, by name, worst first.
    var shortcomings: [String] {
        jobs.flatMap { job in job.comparisons.filter { $0.verdict == .behind }.map { (job, $0) } }
            .sorted { $0.1.ratio < $1.1.ratio }
            .map { job, comparison in
                "\(job.name), \(comparison.measure.title) (\(comparison.heat)): Rill takes "
                    + "\(RatioText.times(1 / comparison.ratio, comparison.measure)) what \(comparison.rival) takes"
            }
    }
}
