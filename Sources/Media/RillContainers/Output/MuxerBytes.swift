internal import CFFmpeg
import Glibc
import RillFiles

/// Connects a libavformat muxer to an output file. It passes on all writes, also those after a seek back.
///
/// Single owner. The muxer holds its address, so the owner must free the muxer first.
@safe
final class MuxerBytes {
    /// The context for the muxer's `pb`.
    let context: UnsafeMutablePointer<AVIOContext>
    private let state: State

    /// The state that the callbacks use.
    private final class State {
        var output: ByteOutput
        /// The position of the muxer's next write: at the end, unless it went back.
        var position = 0
        /// Why the file could not be written, since libavformat only passes on numbers.
        var failure: FileError?

        init(_ output: consuming ByteOutput) { self.output = output }

        func write(_ bytes: Span<UInt8>) throws(FileError) {
            let inside = min(max(0, output.position - position), bytes.count)
            if inside > 0 { try output.replace(at: position, with: bytes.extracting(..<inside).array) }
            if inside < bytes.count { try output.write(bytes.extracting(inside...)) }
            position += bytes.count
        }

        /// Moves to a position in the file. Returns the new position, or `nil` if it is invalid.
        func seek(_ offset: Int64, _ whence: Int32) -> Int64? {
            let base: Int
            switch whence & ~AVSEEK_FORCE {
            case SEEK_SET: base = 0
            case SEEK_CUR: base = position
            case SEEK_END: base = output.position
            case AVSEEK_SIZE: return Int64(output.position)
            default: return nil
            }
            guard let target = Int(exactly: offset), (0...output.position).contains(base + target) else { return nil }
            position = base + target
            return Int64(position)
        }
    }

    /// Creates or truncates a file; `-` is standard output.
    init(path: String, name: String? = nil) throws(ContainerError) {
        let isRewritable: Bool
        do throws(FileError) {
            let output = try ByteOutput(path: path, name: name)
            isRewritable = output.isRewritable
            state = State(consume output)
        } catch { throw .fileFailed(error) }
        let size: Int32 = 1 << 16
        guard let buffer = unsafe av_malloc(Int(size)) else { throw .outOfMemory(path: name ?? path) }
        // The callbacks get the state's address. This object keeps the state, and outlives the muxer.
        guard
            let context = unsafe avio_alloc_context(
                buffer.assumingMemoryBound(to: UInt8.self), size, 1, Unmanaged.passUnretained(state).toOpaque(), nil,
                { opaque, bytes, count in unsafe MuxerBytes.write(opaque, bytes, count) },
                { opaque, offset, whence in unsafe MuxerBytes.seek(opaque, offset, whence) })
        else {
            unsafe av_free(buffer)
            throw .outOfMemory(path: name ?? path)
        }
        unsafe context.pointee.seekable = isRewritable ? AVIO_SEEKABLE_NORMAL : 0
        unsafe self.context = context
    }

    deinit {
        // libavformat may have replaced the buffer.
        unsafe av_freep(&context.pointee.buffer)
        var context: UnsafeMutablePointer<AVIOContext>? = unsafe context
        unsafe avio_context_free(&context)
    }

    /// Why the file could not be written.
    var failure: FileError? { state.failure }

    /// Passes on what the muxer has written so far.
    func flush() { unsafe avio_flush(context) }

    /// Closes the file. Throws an error of this or an earlier write.
    func finish() throws(FileError) {
        flush()
        if let failure = state.failure { throw failure }
        try state.output.finish()
    }

    private static func write(
        _ opaque: UnsafeMutableRawPointer?, _ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int32
    ) -> Int32 {
        guard let opaque = unsafe opaque, let bytes = unsafe bytes, count > 0 else { return 0 }
        // The address from `init`. The bytes belong to the muxer until this returns.
        let state = unsafe Unmanaged<State>.fromOpaque(opaque).takeUnretainedValue()
        let span = unsafe Span(_unsafeStart: UnsafePointer(bytes), count: Int(count))
        do throws(FileError) {
            if let failure = state.failure { throw failure }
            try state.write(span)
            return count
        } catch {
            state.failure = error
            return CFFmpeg_write_failed
        }
    }

    private static func seek(_ opaque: UnsafeMutableRawPointer?, _ offset: Int64, _ whence: Int32) -> Int64 {
        guard let opaque = unsafe opaque else { return -1 }
        // The address from `init`.
        let state = unsafe Unmanaged<State>.fromOpaque(opaque).takeUnretainedValue()
        return state.seek(offset, whence) ?? -1
    }
}
