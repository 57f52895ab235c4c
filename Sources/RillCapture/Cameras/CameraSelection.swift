/// Which camera is meant.
public enum CameraSelection: Hashable, Sendable {
    /// The one at a node, such as `/dev/video0`, or a link to one, such as those under `/dev/v4l/by-id`.
    case path(String)
    /// The first whose name has this in it, in upper or lower case.
    case name(String)
    /// The one at that place of the list of cameras, from 0.
    case index(Int)

    /// From words: a path begins with a slash, digits alone are a place in the list, anything else is a name.
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
    /// The words.
    public var description: String {
        switch self {
        case .path(let path): path
        case .name(let name): "\"\(name)\""
        case .index(let index): "camera \(index)"
        }
    }
}
