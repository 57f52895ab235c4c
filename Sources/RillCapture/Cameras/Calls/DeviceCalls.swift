package import RillCore

/// The system's calls that a camera is made of: the one place where code for cameras meets the kernel.
///
/// ``SystemDeviceCalls`` asks the kernel; the tests have a device in the process that fails as it is told. Calls give
/// `errno` in place of throwing: what a failure means, the caller knows.
package protocol DeviceCalls: Sendable {
    /// The nodes of video devices, in the order of their numbers.
    func nodes() -> [VideoNodeEntry]

    /// Opens a node, non-blocking: its descriptor.
    func open(_ path: String) -> Result<Int32, SystemError>

    /// Closes a descriptor.
    func close(_ descriptor: Int32)

    /// `ioctl`: `argument` points to what `request` takes. The code of the failure, or 0.
    @unsafe func control(_ descriptor: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32

    /// Maps a buffer into memory, to be read.
    @unsafe func map(
        _ descriptor: Int32, byteCount: Int, offset: Int
    ) -> Result<UnsafeMutableRawPointer, SystemError>

    /// Takes a mapping away.
    @unsafe func unmap(_ base: UnsafeMutableRawPointer, byteCount: Int)

    /// Waits until a frame can be dequeued, the device has failed, or the time has come.
    func waitForFrame(_ descriptor: Int32, until deadline: MediaTime) -> FrameReadiness

    /// Waits until video devices come or go, or the time has come; `true` where something may have changed.
    func waitForChange(until deadline: MediaTime) -> Bool

    /// `CLOCK_MONOTONIC`.
    var now: MediaTime { get }
}

/// A node of a video device.
package struct VideoNodeEntry: Hashable, Sendable {
    /// `/dev/video0`.
    package var path: String
    /// A name that stays the same however devices are numbered, where udev has made one: `/dev/v4l/by-id/…`.
    package var stablePath: String?

    package init(path: String, stablePath: String? = nil) {
        self.path = path
        self.stablePath = stablePath
    }
}

/// A failed call's `errno`.
package struct SystemError: Error, Equatable, Sendable {
    package var code: Int32

    package init(_ code: Int32) {
        self.code = code
    }
}

/// What a wait for a frame ended with.
package enum FrameReadiness: Equatable, Sendable {
    /// A frame can be dequeued.
    case ready
    /// The time came first.
    case timedOut
    /// The device has failed, or is gone (POLLERR, POLLHUP).
    case failed
}
