/// The containers that ``ContainerWriter`` writes.
public enum ContainerFormat: String, Sendable, CaseIterable {
    /// WebM: what browsers play. Sound is Opus or Vorbis.
    case webm
    /// Matroska: the same layout, with any sound that FFmpeg's libraries have a name for there.
    case mkv

    /// The container that the ending of a file's name stands for, in upper or lower case; `nil` when it stands for none.
    public init?(path: String) {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        self.init(rawValue: name[name.index(after: dot)...].lowercased())
    }

    /// What libavformat calls it.
    var muxerName: String {
        switch self {
        case .webm: "webm"
        case .mkv: "matroska"
        }
    }
}
