/// Which camera to open.
public enum CameraSelection: Hashable, Sendable {
    /// The camera at a node such as `/dev/video0`, or at a link to one, such as those under `/dev/v4l/by-id`.
    case path(String)
    /// The first camera whose name contains this text, ignoring case.
    case name(String)
    /// The camera at that index in the list of cameras, from 0.
    case index(Int)

    /// Parses a selection. A path starts with a slash, digits alone are an index, and anything else is a name.
    public init(_ text: String) {
        if text.hasPrefix("/") {
            self = .path(text)
        } else if !text.isEmpty, text.allSatisfy({ ("0"..."9").contains($0) }), let index = Int(text) {
            self = .index(index)
        } else {
            self = .name(text)
        }
    }
}

extension CameraSelection: CustomStringConvertible {
    /// The selection as text.
    public var description: String {
        switch self {
        case .path(let path): path
        case .name(let name): "\"\(name)\""
        case .index(let index): "camera \(index)"
        }
    }
}
