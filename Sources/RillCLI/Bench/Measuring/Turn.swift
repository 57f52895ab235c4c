/// What one run of a command took.
struct Turn: Codable, Equatable, Sendable {
    /// User and system time of the process and of the children that it waited for.
    var cpuSeconds: Double
    /// From its start to its end.
    var wallSeconds: Double
    /// The most memory that was resident at once; `nil` where the process was gone before anybody could look.
    var peakBytes: Int?
    /// What it printed; not part of the report.
    var output = ""

    private enum CodingKeys: String, CodingKey {
        case cpuSeconds, wallSeconds, peakBytes
    }

    /// What is left without what another run took. The peak is not a sum, and stays.
    static func - (whole: Turn, part: Turn) -> Turn {
        Turn(
            cpuSeconds: whole.cpuSeconds - part.cpuSeconds, wallSeconds: whole.wallSeconds - part.wallSeconds,
            peakBytes: whole.peakBytes, output: whole.output)
    }
}
