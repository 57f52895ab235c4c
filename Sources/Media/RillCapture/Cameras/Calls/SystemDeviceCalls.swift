internal import CV4L2
import Glibc
package import RillCore

/// The system calls of the kernel itself.
package final class SystemDeviceCalls: DeviceCalls {
    /// Reports devices that appear and disappear. The socket is opened at the first wait.
    private let changes = Monitor(DeviceChanges())

    package init() {}

    package func nodes() -> [VideoNodeEntry] { VideoNodes.list() }

    package func open(_ path: String) -> Result<Int32, SystemError> {
        let descriptor = retryingInterrupted { unsafe Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC) }
        return descriptor < 0 ? .failure(SystemError(errno)) : .success(descriptor)
    }

    package func close(_ descriptor: Int32) {
        Glibc.close(descriptor)
    }

    @unsafe
    package func control(_ descriptor: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32 {
        // The caller guarantees that the argument has the type that the request takes.
        let result = retryingInterrupted { unsafe CV4L2_ioctl(descriptor, request, argument) }
        return result < 0 ? errno : 0
    }

    @unsafe
    package func map(
        _ descriptor: Int32, byteCount: Int, offset: Int
    ) -> Result<UnsafeMutableRawPointer, SystemError> {
        let base = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, offset)
        // `mmap` signals failure with a special address, not with a null pointer.
        guard let base = unsafe base, unsafe base != MAP_FAILED else { return unsafe .failure(SystemError(errno)) }
        return unsafe .success(base)
    }

    @unsafe
    package func unmap(_ base: UnsafeMutableRawPointer, byteCount: Int) {
        unsafe munmap(base, byteCount)
    }

    package func waitForFrame(_ descriptor: Int32, until deadline: MediaTime) -> FrameReadiness {
        var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let count = retryingInterrupted { unsafe poll(&question, 1, milliseconds(until: deadline)) }
        if count == 0 { return .timedOut }
        let failures = Int16(POLLERR | POLLHUP | POLLNVAL)
        return count < 0 || question.revents & failures != 0 ? .failed : .ready
    }

    package func waitForChange(until deadline: MediaTime) -> Bool {
        changes.withLock { changes in
            changes.wait(milliseconds: milliseconds(until: deadline))
        }
    }

    package var now: MediaTime {
        var moment = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &moment)
        return MediaTime(nanoseconds: Int64(moment.tv_sec) * 1_000_000_000 + Int64(moment.tv_nsec))
    }

    /// Rounds up, so that no caller spins for the rest of a millisecond.
    private func milliseconds(until deadline: MediaTime) -> Int32 {
        guard deadline != .distantFuture else { return -1 }
        return Int32(clamping: max(0, (deadline - now).nanoseconds + 999_999) / 1_000_000)
    }
}
