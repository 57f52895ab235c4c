public import RillCore

/// Tells of cameras that come and go.
///
///     let watch = CameraWatch()
///     while let change = watch.next(within: .seconds(60)) { print(change) }
///
/// It hears the kernel's own notices; where there are none to be heard, it looks twice a second. Between notices it costs
/// nothing. Single owner; a task that must not block gives it a thread of its own.
public final class CameraWatch {
    /// What has changed.
    public enum Change: Hashable, Sendable {
        /// A camera is there that was not.
        case appeared(CameraDevice)
        /// One is gone.
        case disappeared(CameraDevice)
    }

    /// The cameras that are there, as far as ``next(within:)`` has told.
    public private(set) var devices: [CameraDevice]

    private let calls: any DeviceCalls
    private var entries: [VideoNodeEntry]
    private var pending: [Change] = []
    /// Looks that are still to be made after the last change: a node may be there before it can be opened.
    private var looksLeft = 0

    /// How often to look where nothing is heard.
    static let pollInterval = MediaDuration.milliseconds(500)
    /// How long a new node gets until it can be opened: udev gives the rights a moment later.
    static let settlingTime = MediaDuration.milliseconds(50)

    /// How often to look after a change.
    static let looksAfterChange = 4

    /// A watch that knows the cameras that are there now.
    public convenience init() {
        self.init(SystemDeviceCalls())
    }

    package init(_ calls: any DeviceCalls) {
        self.calls = calls
        // Heard from here on: what changes while the list is made is found by the next look.
        _ = calls.waitForChange(until: .zero)
        entries = calls.nodes()
        devices = CameraDevice.list(calls)
    }

    /// The next change, or `nil` where there was none in that time.
    public func next(within duration: MediaDuration) -> Change? {
        let deadline = calls.now + duration
        while pending.isEmpty {
            let now = calls.now
            guard now < deadline else { return nil }
            let isNews = calls.waitForChange(until: min(deadline, now + Self.pollInterval))
            let entries = calls.nodes()
            if isNews || entries != self.entries {
                looksLeft = Self.looksAfterChange
                pause(until: calls.now + Self.settlingTime)
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
        // A camera that another program has is there all the same, and its formats do not matter here.
        let isSame = { (a: CameraDevice, b: CameraDevice) in a.path == b.path && a.name == b.name && a.bus == b.bus }
        for old in devices where !found.contains(where: { isSame($0, old) }) { pending.append(.disappeared(old)) }
        for new in found where !devices.contains(where: { isSame($0, new) }) { pending.append(.appeared(new)) }
        devices = found
    }
}
