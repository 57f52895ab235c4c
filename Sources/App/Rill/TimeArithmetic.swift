public import RillCore

// Exporting a type by name exports its members, but not its operators. These repeat RillCore's operators for code
// that imports only `Rill`. Where both are visible, RillCore's win.
extension MediaTime {
    /// Returns the point `duration` later; traps on overflow, so do not use it with
    /// ``/RillCore/MediaTime/distantFuture``.
    @_disfavoredOverload @inlinable
    public static func + (time: MediaTime, duration: MediaDuration) -> MediaTime { time.advanced(by: duration) }

    /// Returns the point `duration` earlier; traps on overflow.
    @_disfavoredOverload @inlinable
    public static func - (time: MediaTime, duration: MediaDuration) -> MediaTime {
        MediaTime(nanoseconds: time.nanoseconds - duration.nanoseconds)
    }

    /// Returns the duration from `b` to `a`; negative if `a` is earlier.
    @_disfavoredOverload @inlinable
    public static func - (a: MediaTime, b: MediaTime) -> MediaDuration { b.duration(to: a) }

    /// Moves the point later by `duration`.
    @_disfavoredOverload @inlinable
    public static func += (time: inout MediaTime, duration: MediaDuration) { time = time.advanced(by: duration) }
}
