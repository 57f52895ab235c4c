import Glibc
import RillCore
import RillFiles
import RillThreads

/// Frames that wait for their turn on disk, in an unnamed file that disappears with the process in any case.
///
/// One owner at a time. Memory: the largest coded frame, and one picture.
final class Spool {
    private let folder: String
    private let descriptor: Int32
    private var records: [Record] = []
    private var byteCount = 0
    private var coded: [UInt8] = []
    private var pool: FramePool?

    /// The part of a frame that is kept in memory.
    private enum Record {
        case coded(EncodedFrame)
        case picture(VideoFrameMark)
    }

    /// The properties of a picture without its samples.
    private struct VideoFrameMark {
        var layout: FrameLayout
        var captureTime: MediaTime
        var colorSpace: ColorSpace
        var rotation: Rotation
    }

    init(in folder: String) throws(FileError) {
        self.folder = folder
        descriptor = try Spool.openNameless(in: folder)
    }

    deinit { close(descriptor) }

    /// O_TMPFILE of open(2), a macro that Swift does not import.
    private static let nameless = 0o20_000_000 | O_DIRECTORY

    private static func openNameless(in folder: String) throws(FileError) -> Int32 {
        let number = unsafe open(folder, nameless | O_RDWR | O_CLOEXEC, 0o600)
        if number >= 0 { return number }
        // The file system does not support unnamed files: create one and unlink it at once.
        var template = Array("\(folder)/.rill-spool-XXXXXX".utf8CString)
        let named = unsafe template.withUnsafeMutableBufferPointer { unsafe mkstemp($0.baseAddress!) }
        guard named >= 0 else { throw .openFailed(path: "a file for waiting frames in \(folder)", code: errno) }
        unsafe template.withUnsafeBufferPointer { _ = unsafe unlink($0.baseAddress!) }
        return named
    }

    func append(_ frame: EncodedFrame, _ payload: Span<UInt8>) throws(FileError) {
        try unsafe payload.withUnsafeBytes { bytes throws(FileError) in unsafe try write(bytes) }
        records.append(.coded(frame))
    }

    func append(_ frame: VideoFrame) throws(FileError) {
        // The frame's whole block, which is valid until this returns.
        let bytes = unsafe UnsafeRawBufferPointer(
            start: frame.pointer(plane: 0) - frame.layout[plane: 0].offset, count: frame.layout.byteCount)
        unsafe try write(bytes)
        withExtendedLifetime(frame) {}
        records.append(
            .picture(
                VideoFrameMark(
                    layout: frame.layout, captureTime: frame.captureTime, colorSpace: frame.colorSpace,
                    rotation: frame.rotation)))
    }

    /// Writes all frames to `writer` in order. Called once.
    func drain(into writer: OrderedWriter) throws {
        var position = 0
        for record in records {
            switch record {
            case .coded(let frame):
                coded.removeAll(keepingCapacity: true)
                coded.append(addingCapacity: frame.byteCount) { $0.append(repeating: 0, count: frame.byteCount) }
                try unsafe coded.withUnsafeMutableBytes { unsafe try read(into: $0, at: position) }
                position += frame.byteCount
                let bytes = coded
                try writer.write(frame, bytes.span)
            case .picture(let mark):
                let source = try pool(for: mark.layout)
                var frame = waitForFrame(of: source)
                let block = unsafe UnsafeMutableRawBufferPointer(
                    start: frame.mutablePointer(plane: 0) - mark.layout[plane: 0].offset, count: mark.layout.byteCount)
                try unsafe read(into: block, at: position)
                position += mark.layout.byteCount
                var picture = frame.finish(captureTime: mark.captureTime, colorSpace: mark.colorSpace)
                picture.rotation = mark.rotation
                try writer.write(picture)
            }
        }
    }

    private func pool(for layout: FrameLayout) throws(FrameError) -> FramePool {
        if let pool, pool.layout == layout { return pool }
        let pool = try FramePool(layout: layout, capacity: 4)
        self.pool = pool
        return pool
    }

    /// Returns a buffer of the pool. Waits if the sink still holds all of them.
    private func waitForFrame(of pool: FramePool) -> MutableFrame {
        while true {
            if let frame = pool.makeFrame() { return frame }
            LiveClock.pause()
        }
    }

    @unsafe
    private func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        var done = 0
        while done < bytes.count {
            let count = retryingInterrupted {
                unsafe pwrite(descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(byteCount + done))
            }
            guard count > 0 else {
                throw .writeFailed(path: "waiting frames in \(folder)", position: byteCount + done, code: errno)
            }
            done += count
        }
        byteCount += bytes.count
    }

    @unsafe
    private func read(into bytes: UnsafeMutableRawBufferPointer, at position: Int) throws(FileError) {
        var done = 0
        while done < bytes.count {
            let count = retryingInterrupted {
                unsafe pread(descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(position + done))
            }
            guard count > 0 else {
                throw .readFailed(path: "waiting frames in \(folder)", position: position + done, code: errno)
            }
            done += count
        }
    }
}
