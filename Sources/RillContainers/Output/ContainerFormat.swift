/// The containers that ``ContainerWriter`` writes.
public enum ContainerFormat: String, Sendable, CaseIterable {
    /// WebM, the format of browsers. Audio is Opus or Vorbis.
    case webm
    /// Matroska: the same layout, with any audio codec that FFmpeg's libraries can store in it.
    case mkv

    /// Returns the container for the extension of a file name, ignoring case; `nil` if it is unknown.
    public init?(path: String) {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        self.init(rawValue: name[name.index(after: dot)...].lowercased())
    }

    /// libavformat's name of the format.
    var muxerName: String {
        switch self {
        case .webm: "webm"
        case .mkv: "matroska"
        }
    }
}
