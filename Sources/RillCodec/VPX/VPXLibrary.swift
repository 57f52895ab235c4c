internal import CVPX

/// The libvpx that this process runs with.
public enum VPXLibrary {
    /// Its version, as it says it itself: `v1.12.0`. Encoded bytes belong to a version; decoded pictures do not.
    public static let version = unsafe String(cString: vpx_codec_version_str())
}
