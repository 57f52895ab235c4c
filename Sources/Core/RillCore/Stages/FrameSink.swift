/// A destination of frames: a file, a screen, a measurement.
///
/// A sink has one owner and is never called from two threads at once. It may keep a frame as long as needed, but the
/// memory belongs to a pool of fixed size: to keep many frames, copy them into another pool.
public protocol FrameSink: AnyObject {
    /// Takes a picture. The live driver's pipeline waits until this returns, so a slow sink should pass frames on to
    /// its own thread.
    ///
    /// - Parameter frame: the picture.
    func consume(_ frame: VideoFrame) throws

    /// Writes what is still buffered. Called once, after the last frame.
    func finish() throws
}

/// A sink that calls a function: `FrameTap { frame in … }`.
public final class FrameTap: FrameSink {
    private let body: (VideoFrame) throws -> Void

    /// Creates a sink that calls `body` with every frame.
    public init(_ body: @escaping (VideoFrame) throws -> Void) {
        self.body = body
    }

    /// Calls the function, and rethrows its errors.
    public func consume(_ frame: VideoFrame) throws { try body(frame) }

    /// Does nothing: this sink buffers nothing.
    public func finish() {}
}

/// A destination of coded frames besides the network: a recording, a measurement.
public protocol EncodedFrameSink: AnyObject {
    /// Takes a coded frame.
    ///
    /// - Parameters:
    ///   - frame: what is known of the coded frame.
    ///   - payload: its bytes. They belong to the encoder and are valid only until this returns: copy them to keep
    ///     them.
    func consume(_ frame: EncodedFrame, payload: Span<UInt8>) throws

    /// Writes what is still buffered. Called once, after the last frame.
    func finish() throws
}

/// A sink that calls a function: `EncodedFrameTap { frame, payload in … }`.
public final class EncodedFrameTap: EncodedFrameSink {
    private let body: (EncodedFrame, Span<UInt8>) throws -> Void

    /// Creates a sink that calls `body` with every coded frame. The bytes are valid until `body` returns.
    public init(_ body: @escaping (EncodedFrame, Span<UInt8>) throws -> Void) {
        self.body = body
    }

    /// Calls the function, and rethrows its errors.
    public func consume(_ frame: EncodedFrame, payload: Span<UInt8>) throws { try body(frame, payload) }
    /// Does nothing: this sink buffers nothing.
    public func finish() {}
}
