package import RillCore

/// The system calls that camera code uses. Camera code reaches the kernel only through this protocol.
///
/// ``SystemDeviceCalls`` calls the kernel; tests use an in-process device that fails on command. Methods return
/// `errno` instead of throwing: only the caller knows what a failure means.
package protocol DeviceCalls: Sendable {
    /// The nodes of video devices, in numeric order.
    func nodes() -> [VideoNodeEntry]

    /// Opens a node in non-blocking mode and returns its descriptor.
    func open(_ path: String) -> Result<Int32, SystemError>

    /// Closes a descriptor.
    func close(_ descriptor: Int32)

    /// Calls `ioctl`. `argument` points to the type that `request` takes. Returns the error code, or 0.
    @unsafe func control(_ descriptor: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32

    /// Maps a buffer into memory for reading.
    @unsafe func map(
        _ descriptor: Int32, byteCount: Int, offset: Int
    ) -> Result<UnsafeMutableRawPointer, SystemError>

    /// Removes a mapping.
    @unsafe func unmap(_ base: UnsafeMutableRawPointer, byteCount: Int)

    /// Waits until a frame can be dequeued, the device has failed, or the deadline has passed.
    func waitForFrame(_ descriptor: Int32, until deadline: MediaTime) -> FrameReadiness

    /// Waits until video devices appear or disappear, or the deadline has passed. Returns `true` if something may
    /// have changed.
    func waitForChange(until deadline: MediaTime) -> Bool

    /// `CLOCK_MONOTONIC`.
    var now: MediaTime { get }
}

/// A node of a video device.
package struct VideoNodeEntry: Hashable, Sendable {
    /// `/dev/video0`.
    package var path: String
    /// A name that does not depend on device numbering, if udev created one: `/dev/v4l/by-id/…`.
    package var stablePath: String?

    package init(path: String, stablePath: String? = nil) {
        self.path = path
        self.stablePath = stablePath
    }
}

/// The `errno` of a failed call.
package struct SystemError: Error, Equatable, Sendable {
    package var code: Int32

    package init(_ code: Int32) {
        self.code = code
    }
}

/// The result of a wait for a frame.
package enum FrameReadiness: Equatable, Sendable {
    /// A frame can be dequeued.
    case ready
    /// The deadline passed first.
    case timedOut
    /// The device failed or is gone (POLLERR, POLLHUP).
    case failed
}
