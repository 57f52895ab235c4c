import RillFiles

/// The file extensions of clips: for batches of a folder, and for completion.
enum ClipEndings {
    /// The extensions read by FFmpeg's libraries, besides Rill's own formats.
    private static let containers = [
        "3gp", "avi", "flv", "gif", "m2ts", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "mts", "mxf", "ogv", "ts", "vob",
        "webm", "wmv",
    ]

    /// All extensions, in lower case.
    static let all = [VideoFileFormat.y4m, .ivf, .i420, .nv12].flatMap(\.pathExtensions) + containers

    /// Whether a file of that name is a clip, ignoring case.
    static func isClip(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return false }
        return all.contains(name[name.index(after: dot)...].lowercased())
    }
}
