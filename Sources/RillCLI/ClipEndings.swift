import RillFiles

/// The endings of the names of clips, by which a folder's clips are found and the shells offer them.
enum ClipEndings {
    /// What FFmpeg's libraries read, besides our own formats.
    private static let containers = [
        "3gp", "avi", "flv", "gif", "m2ts", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "mts", "mxf", "ogv", "ts", "vob",
        "webm", "wmv",
    ]

    /// All of them, in lower case.
    static let all = [VideoFileFormat.y4m, .ivf, .i420, .nv12].flatMap(\.pathExtensions) + containers

    /// Whether a file of that name is a clip, in upper or lower case.
    static func isClip(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return false }
        return all.contains(name[name.index(after: dot)...].lowercased())
    }
}
