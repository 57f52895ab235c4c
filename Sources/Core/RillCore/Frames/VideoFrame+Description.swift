extension VideoFrame: CustomStringConvertible, CustomReflectable {
    /// For example `640x480 i420 at 1.500s`, followed by the rotation if the picture is not upright.
    public var description: String {
        "\(resolution) \(format.rawValue) at \(captureTime)"
            + (rotation == .none ? "" : ", rotate by \(rotation.degrees)°")
    }

    /// The frame's properties without the pool that it came from. The pool's state cannot be copied, so `dump` and a
    /// debugger would trap on the default mirror.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "format": format, "resolution": resolution, "captureTime": captureTime, "colorSpace": colorSpace,
                "rotation": rotation,
            ])
    }
}
