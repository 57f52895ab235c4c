public import RillCore

// A type that is exported by its name brings its members, but not its operators: these are RillCore's, for who imports `Rill`
// alone. Where both are seen, RillCore's win.
extension MediaTime {
    /// The point that lies `duration` later; traps on overflow, so not with ``distantFuture``.
    @_disfavoredOverload @inlinable
    public static func + (time: MediaTime, duration: MediaDuration) -> MediaTime { time.advanced(by: duration) }

    /// The point that lies `duration` earlier; traps on overflow.
    @_disfavoredOverload @inlinable
    public static func - (time: MediaTime, duration: MediaDuration) -> MediaTime {
        MediaTime(nanoseconds: time.nanoseconds - duration.nanoseconds)
    }

    /// The way from `b` to `a`; negative where `a` is the earlier one.
    @_disfavoredOverload @inlinable
    public static func - (a: MediaTime, b: MediaTime) -> MediaDuration { b.duration(to: a) }

    /// Moves the point later by `duration`.
    @_disfavoredOverload @inlinable
    public static func += (time: inout MediaTime, duration: MediaDuration) { time = time.advanced(by: duration) }
}
