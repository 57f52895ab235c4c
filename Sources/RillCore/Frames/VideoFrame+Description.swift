extension VideoFrame: CustomStringConvertible, CustomReflectable {
    /// `640x480 i420 at 1.500s`, and the turn where it does not stand upright.
    public var description: String {
        "\(resolution) \(format.rawValue) at \(captureTime)"
            + (rotation == .none ? "" : ", to turn by \(rotation.degrees)°")
    }

    /// What the picture is, without the pool that it came from: that cannot be copied, so `dump` and a debugger's mirror
    /// would trap on it.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "format": format, "resolution": resolution, "captureTime": captureTime, "colorSpace": colorSpace,
                "rotation": rotation,
            ])
    }
}
