internal import CVPX
import RillCore

/// libvpx's description of a picture. It is created once and pointed at one frame after the other, so nothing is
/// copied.
@safe
final class VPXInputImage {
    private let image: UnsafeMutablePointer<vpx_image_t>
    private let resolution: Resolution

    init(_ resolution: Resolution) {
        self.resolution = resolution
        unsafe image = .allocate(capacity: 1)
        unsafe image.initialize(to: vpx_image_t())
        // Wrapping fills in sizes and format; the planes of each frame replace this first address.
        let wrapped = unsafe vpx_img_wrap(
            image, VPX_IMG_FMT_I420, UInt32(resolution.width), UInt32(resolution.height), 1,
            UnsafeMutableRawPointer(image).assumingMemoryBound(to: UInt8.self))
        precondition(unsafe wrapped != nil, "libvpx can describe every picture of 1x1 to 16383x16383")
    }

    deinit {
        unsafe image.deallocate()
    }

    /// Returns the description with the planes of `frame`. The caller keeps the frame alive while libvpx reads them.
    @unsafe
    func pointing(at frame: VideoFrame) throws(CodecError) -> UnsafePointer<vpx_image_t> {
        guard frame.format == .i420 else { throw .unsupportedFormat(frame.format) }
        guard frame.colorSpace.range == .limited else { throw .unsupportedRange(frame.colorSpace.range) }
        guard frame.resolution == resolution else {
            throw .wrongResolution(expected: resolution, actual: frame.resolution)
        }
        let planes = unsafe (frame.pointer(plane: 0), frame.pointer(plane: 1), frame.pointer(plane: 2))
        // libvpx's struct serves encoders and decoders, so its pointers are mutable; an encoder only reads.
        unsafe image.pointee.planes.0 = UnsafeMutablePointer(mutating: planes.0)
        unsafe image.pointee.planes.1 = UnsafeMutablePointer(mutating: planes.1)
        unsafe image.pointee.planes.2 = UnsafeMutablePointer(mutating: planes.2)
        unsafe image.pointee.stride.0 = Int32(frame.layout[plane: 0].stride)
        unsafe image.pointee.stride.1 = Int32(frame.layout[plane: 1].stride)
        unsafe image.pointee.stride.2 = Int32(frame.layout[plane: 2].stride)
        return unsafe UnsafePointer(image)
    }
}

/// The properties of a coded frame that libvpx does not know, kept while libvpx holds the picture back.
struct HeldPicture {
    /// The timestamp that libvpx got.
    var ticks: Int64
    var captureTime: MediaTime
    var rotation = Rotation.none
    var timestamps = FrameTimestamps()
}

extension HeldPicture {
    init(_ frame: VideoFrame, ticks: Int64) {
        self.init(
            ticks: ticks, captureTime: frame.captureTime, rotation: frame.rotation, timestamps: frame.timestamps)
    }
}
