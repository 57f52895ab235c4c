/// One program's way to do a job.
struct Contestant: Sendable {
    /// What the tables call it.
    var name: String
    /// What it stands for.
    var part: Part
    /// What is run.
    var command: Invocation
    /// The same without what is measured: what it takes is subtracted.
    var baseline: Invocation?

    /// What a contestant stands for.
    enum Part: String, Codable, Sendable {
        /// Rill: what the others of its heat are compared with.
        case ours
        /// What a user would pick instead.
        case rival
        /// Does a part of the work only: nobody who does all of it can be expected below.
        case floor
        /// The contestant before it once more: what differs there is chance.
        case again
    }

    /// The same once more.
    var again: Contestant {
        Contestant(name: name + ", the same again", part: .again, command: command, baseline: baseline)
    }
}

/// Contestants with the same settings. The first is Rill.
struct Heat: Sendable {
    /// What is the same for all of them: `one encoder thread`.
    var title: String
    /// What is compared.
    var measures: [Measure]
    /// Rill, and the others.
    var contestants: [Contestant]
}

/// What a contestant made of its work. Who did other work than Rill is not compared.
struct Work: Codable, Equatable, Sendable {
    /// Pictures that went in, or came out.
    var frames: Int
    /// Bytes of coded pictures, where the job makes some.
    var codedBytes: Int?
    /// Datagrams that were sent and did not come.
    var packetsLost = 0

    /// Coded bytes may differ by so much: rate controls that cannot be set wholly alike.
    static let tolerance = 0.05

    /// Why this is other work than Rill's; `nil` where it is the same.
    func difference(from ours: Work) -> String? {
        guard frames == ours.frames else { return "worked on \(frames) pictures, Rill on \(ours.frames)" }
        guard let codedBytes, let theirs = ours.codedBytes else { return nil }
        let share = Double(codedBytes) / Double(max(1, theirs))
        guard (share - 1).magnitude > Work.tolerance else { return nil }
        return "made \(codedBytes) coded bytes, Rill \(theirs)"
    }
}

/// What is measured: contestants, and how one of them is run.
protocol BenchJob {
    /// The word for it on the command line.
    var name: String { get }
    /// One line.
    var title: String { get }
    /// What is done, and what is alike.
    var explanation: [String] { get }
    /// Who takes part.
    var heats: [Heat] { get }
    /// What could not take part, and why.
    var notices: [String] { get }

    /// Runs a command of one of its contestants to its end, and looks what it did.
    ///
    /// - Parameters:
    ///   - command: as it is run, which may be under valgrind.
    ///   - limit: seconds after which it is ended.
    func run(_ command: Invocation, limit: Double) throws -> (turn: Turn, work: Work)
}
