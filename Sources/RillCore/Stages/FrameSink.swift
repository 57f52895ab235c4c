/// Where frames go to: a file, a screen, a measurement.
///
/// A sink has one owner and is not called from two threads at once. It may keep a frame as long as it likes; the memory
/// belongs to a pool of fixed size, so whoever keeps many copies them into a pool of its own.
public protocol FrameSink: AnyObject {
    /// Takes a picture. In the live driver the pipeline waits until this returns, so a sink that is slow hands over to a
    /// thread of its own.
    func consume(_ frame: VideoFrame) throws

    /// No frame will follow: write what is still to be written. Called once.
    func finish() throws
}

/// A sink made of a function: `FrameTap { frame in … }`.
public final class FrameTap: FrameSink {
    private let body: (VideoFrame) throws -> Void

    /// A sink that calls `body` with every frame.
    public init(_ body: @escaping (VideoFrame) throws -> Void) {
        self.body = body
    }

    /// Calls the function, and throws what it throws.
    public func consume(_ frame: VideoFrame) throws { try body(frame) }

    /// Does nothing: a function holds nothing back.
    public func finish() {}
}

/// Where coded frames go to besides the network: a recording, a measurement.
public protocol EncodedFrameSink: AnyObject {
    /// Takes a coded frame. `payload` is the encoder's own memory and holds the bytes until this returns: keep a copy.
    func consume(_ frame: EncodedFrame, payload: Span<UInt8>) throws

    /// No frame will follow: write what is still to be written. Called once.
    func finish() throws
}

/// A sink made of a function: `EncodedFrameTap { frame, payload in … }`.
public final class EncodedFrameTap: EncodedFrameSink {
    private let body: (EncodedFrame, Span<UInt8>) throws -> Void

    /// A sink that calls `body` with every coded frame; the bytes hold until it returns.
    public init(_ body: @escaping (EncodedFrame, Span<UInt8>) throws -> Void) {
        self.body = body
    }

    /// Calls the function.
    public func consume(_ frame: EncodedFrame, payload: Span<UInt8>) throws { try body(frame, payload) }
    /// Does nothing: a function has nothing left to write.
    public func finish() {}
}
