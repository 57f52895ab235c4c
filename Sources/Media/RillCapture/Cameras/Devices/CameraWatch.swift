public import RillCore

/// Reports cameras that appear and disappear.
///
/// ```swift
/// let watch = CameraWatch()
/// while let change = watch.next(within: .seconds(60)) { print(change) }
/// ```
///
/// It listens to the kernel's notifications, and also polls twice a second in case there are none. Between
/// notifications it costs almost nothing. Single owner. It blocks: async code should give it its own thread.
public final class CameraWatch {
    /// A change in the connected cameras.
    public enum Change: Hashable, Sendable {
        /// A camera appeared.
        case appeared(CameraDevice)
        /// A camera disappeared.
        case disappeared(CameraDevice)
    }

    /// The connected cameras, as far as ``next(within:)`` has reported.
    public private(set) var devices: [CameraDevice]

    private let calls: any DeviceCalls
    private var entries: [VideoNodeEntry]
    private var pending: [Change] = []
    /// Further scans after the last change: a node may exist before it can be opened.
    private var looksLeft = 0

    /// The polling interval, for systems without notifications.
    static let pollInterval = MediaDuration.milliseconds(500)
    /// How long to wait before opening a new node: udev sets the permissions a moment later.
    static let debounceTime = MediaDuration.milliseconds(50)

    /// The number of scans after a change.
    static let looksAfterChange = 4

    /// Creates a watch that starts with the cameras connected now.
    public convenience init() {
        self.init(SystemDeviceCalls())
    }

    package init(_ calls: any DeviceCalls) {
        self.calls = calls
        // Listening starts here: the next scan finds what changes while the list is made.
        _ = calls.waitForChange(until: .zero)
        entries = calls.nodes()
        devices = CameraDevice.list(calls)
    }

    /// Returns the next change, or `nil` if there was none in that time.
    public func next(within duration: MediaDuration) -> Change? {
        let deadline = calls.now + duration
        while pending.isEmpty {
            let now = calls.now
            guard now < deadline else { return nil }
            let isNews = calls.waitForChange(until: min(deadline, now + Self.pollInterval))
            let entries = calls.nodes()
            if isNews || entries != self.entries {
                looksLeft = Self.looksAfterChange
                pause(until: calls.now + Self.debounceTime)
                self.entries = calls.nodes()
            }
            guard looksLeft > 0 else { continue }
            looksLeft -= 1
            compare(with: CameraDevice.list(calls))
        }
        return pending.removeFirst()
    }

    private func pause(until time: MediaTime) {
        while calls.now < time { _ = calls.waitForChange(until: time) }
    }

    private func compare(with found: [CameraDevice]) {
        // A camera that another program uses is still connected, and its formats do not matter here.
        let isSame = { (a: CameraDevice, b: CameraDevice) in a.path == b.path && a.name == b.name && a.bus == b.bus }
        for old in devices where !found.contains(where: { isSame($0, old) }) { pending.append(.disappeared(old)) }
        for new in found where !devices.contains(where: { isSame($0, new) }) { pending.append(.appeared(new)) }
        devices = found
    }
}
