/// How many pictures a program says it has worked on: `frames=90` of ours, the last `frame=90` of FFmpeg's progress.
enum PrintedFrames {
    /// `nil` where it says nothing.
    static func count(in output: String) -> Int? {
        output.split(separator: "\n").last { $0.hasPrefix("frame=") || $0.hasPrefix("frames=") }
            .flatMap { line in Int(String(line.drop { $0 != "=" }.dropFirst().filter { $0 != " " })) }
    }
}
