internal import CVPX

/// The libvpx library of this process.
public enum VPXLibrary {
    /// The version that libvpx reports: `v1.12.0`. Encoded bytes depend on the version; decoded pictures do not.
    public static let version = unsafe String(cString: vpx_codec_version_str())
}
