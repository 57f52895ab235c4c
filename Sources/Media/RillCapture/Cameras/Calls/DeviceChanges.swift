internal import CV4L2
import Glibc

/// The kernel's notifications of devices that appear and disappear (uevents, over a netlink socket).
///
/// If there is no such socket (in some containers), it waits without receiving anything; callers poll at intervals
/// anyway. Single owner.
struct DeviceChanges: ~Copyable {
    private var descriptor: Int32 = -1
    private var isOpened = false
    private var buffer: [UInt8] = []

    /// The maximum length of a notification: the kernel's are below 4 KiB.
    private static let maximumByteCount = 8192

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Waits for a notification about video devices. Returns `false` if none arrived in that time; -1 waits without
    /// limit.
    mutating func wait(milliseconds: Int32) -> Bool {
        open()
        // Without a socket nothing arrives; only the time passes.
        let limit = descriptor < 0 && milliseconds < 0 ? 500 : milliseconds
        var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&question, 1, limit) > 0 else { return false }
        var isAboutVideo = false
        while let notice = receive() { isAboutVideo = isAboutVideo || notice.isAboutVideo }
        return isAboutVideo
    }

    /// Starts listening, once. Only later events are received.
    mutating func open() {
        guard !isOpened else { return }
        isOpened = true
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let socket = Glibc.socket(PF_NETLINK, kind, NETLINK_KOBJECT_UEVENT)
        guard socket >= 0 else { return }
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(PF_NETLINK)
        // The kernel's own group. Group 2, udev's, does not exist everywhere.
        address.nl_groups = 1
        let length = socklen_t(MemoryLayout<sockaddr_nl>.size)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            // The kernel reads an address of that family and length.
            unsafe bind(socket, UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self), length)
        }
        if result == 0 { descriptor = socket } else { close(socket) }
    }

    private mutating func receive() -> UeventNotice? {
        buffer.removeAll(keepingCapacity: true)
        let socket = descriptor
        buffer.append(addingCapacity: Self.maximumByteCount) { output in
            unsafe output.withUnsafeMutableBufferPointer { bytes, count in
                // The kernel writes no more bytes than there is room for.
                count = unsafe max(0, recv(socket, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT)))
            }
        }
        return buffer.isEmpty ? nil : UeventNotice(parsing: buffer)
    }
}

/// One notification: `add@/devices/…`, then `NAME=VALUE` fields, each terminated by a zero byte.
struct UeventNotice: Equatable {
    /// `add`, `remove`, `change` and others.
    var action = ""
    /// `video4linux` for cameras.
    var subsystem = ""

    var isAboutVideo: Bool { subsystem == "video4linux" }

    /// Parses a notification. Bytes of another form yield an empty action and subsystem.
    init(parsing bytes: [UInt8]) {
        for field in bytes.split(separator: 0) {
            guard let equals = field.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let value = String(decoding: field[(equals + 1)...], as: UTF8.self)
            switch String(decoding: field[..<equals], as: UTF8.self) {
            case "ACTION": action = value
            case "SUBSYSTEM": subsystem = value
            default: break
            }
        }
    }
}
