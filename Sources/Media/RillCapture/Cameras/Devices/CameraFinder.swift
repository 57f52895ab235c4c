import RillCore

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

/// Finds a camera, and finds it again after it was unplugged: it may have another node, or be at another port.
///
/// A camera is the same if it has the same name at the same port, else if it has the same name.
struct CameraFinder {
    let selection: CameraSelection
    private var identity: VideoNode.Identity?

    init(_ selection: CameraSelection) {
        self.selection = selection
    }

    /// Opens the selected camera and remembers its identity.
    ///
    /// - Throws: ``CameraError/notFound(_:)``, ``CameraError/notACamera(path:)``,
    ///   ``CameraError/callFailed(_:path:code:)``.
    mutating func open(_ calls: some DeviceCalls) throws(CameraError) -> VideoNode {
        let node = try find(calls)
        identity = node.identity
        return node
    }

    private func find(_ calls: some DeviceCalls) throws(CameraError) -> VideoNode {
        switch selection {
        case .path(let path): return try VideoNode(path, calls)
        case .name(let name):
            return try first(calls) { node, _ in node.identity.name.lowercased().contains(name.lowercased()) }
        case .index(let index): return try first(calls) { $1 == index }
        }
    }

    /// Opens the camera that was open before.
    func reopen(_ calls: some DeviceCalls) throws(CameraError) -> VideoNode {
        guard let identity else { return try find(calls) }
        do throws(CameraError) {
            return try first(calls) { node, _ in node.identity == identity }
        } catch  where error.isGone {
            return try first(calls) { node, _ in node.identity.name == identity.name }
        }
    }

    /// Opens the first camera for which `isMeant` returns `true`. It also gets the camera's index.
    private func first(
        _ calls: some DeviceCalls, where isMeant: (borrowing VideoNode, Int) -> Bool
    ) throws(CameraError) -> VideoNode {
        var place = 0
        var refusal: CameraError?
        for entry in calls.nodes() {
            do throws(CameraError) {
                let node = try VideoNode(entry.path, calls)
                if isMeant(node, place) { return node }
                place += 1
            } catch {
                // It may have been the selected one: why it did not open is more useful than "not found".
                if error.isBusy || error.isDenied { refusal = refusal ?? error }
            }
        }
        throw refusal ?? .notFound(selection)
    }
}
