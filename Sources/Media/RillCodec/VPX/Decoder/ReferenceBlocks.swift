internal import CVPX
import RillCore

/// The memory into which libvpx decodes VP9. Pictures share it, so nothing is copied.
///
/// libvpx takes a block for each frame, and releases it when no reference slot holds it any more. A picture keeps its
/// block as long as it is used, whatever libvpx does; by then both only read. libvpx never finds the pool empty:
/// sinks hold at most `pictureCapacity` blocks, and libvpx at most ``reserve``, one for each of its 8 references and
/// one for the current frame. (With one block fewer, libvpx failed every frame until a key frame.)
///
/// Threads: libvpx calls on the decoding thread; pictures may be released on any thread.
final class ReferenceBlocks {
    /// The maximum number of blocks that libvpx holds.
    static let reserve = 9

    let blocks: BlockPool
    private let maximumByteCount: Int
    /// Which blocks libvpx holds: damaged streams must not make it release a block that it does not hold.
    private var isHeld: [Bool]

    /// Allocates memory for `pictureCapacity` pictures held by sinks, each of at most `maximumPixelCount` pixels.
    init(pictureCapacity: Int, maximumPixelCount: Int) {
        blocks = BlockPool(capacity: pictureCapacity + ReferenceBlocks.reserve)
        maximumByteCount = ReferenceBlocks.maximumByteCount(ofPixels: maximumPixelCount)
        isHeld = Array(repeating: false, count: blocks.capacity)
    }

    /// Returns an upper bound of what libvpx needs for a picture: 12 bits per pixel, with a border of 160 pixels and
    /// rounded sides. No stream that passed the decoder's own size check needs as much; this is a second line of
    /// defense.
    private static func maximumByteCount(ofPixels count: Int) -> Int {
        let border = 2 * 160 + 64
        let side = Resolution.maximumDimension + border
        let (padded, overflow) = count.addingReportingOverflow(2 * border * side)
        return overflow ? .max : padded.multipliedReportingOverflow(by: 2).overflow ? .max : 2 * padded
    }

    /// Passes a block to libvpx. Returns 0, or -1 if there is none.
    fileprivate func take(byteCount: Int, _ buffer: UnsafeMutablePointer<vpx_codec_frame_buffer_t>) -> Int32 {
        guard byteCount <= maximumByteCount, let block = blocks.take(byteCount: byteCount) else { return -1 }
        isHeld[block.index] = true
        unsafe buffer.pointee.data = unsafe block.base
        unsafe buffer.pointee.size = block.byteCount
        // A number, not an address. 0 would mean to libvpx that it has no block.
        unsafe buffer.pointee.priv = UnsafeMutableRawPointer(bitPattern: block.index + 1)
        return 0
    }

    fileprivate func release(_ buffer: UnsafeMutablePointer<vpx_codec_frame_buffer_t>) -> Int32 {
        guard let index = unsafe index(buffer.pointee.priv), isHeld[index] else { return -1 }
        isHeld[index] = false
        blocks.release(index)
        return 0
    }

    private func index(_ number: UnsafeMutableRawPointer?) -> Int? {
        let index = Int(bitPattern: number) - 1
        return isHeld.indices.contains(index) ? index : nil
    }

    /// Returns the picture in one of the blocks, as libvpx laid it out; `nil` if sinks hold `limit` pictures already.
    func picture(
        _ image: vpx_image_t, _ resolution: Resolution, captureTime: MediaTime, limit: Int
    ) -> VideoFrame? {
        guard let index = unsafe index(image.fb_priv), isHeld[index] else {
            preconditionFailure("libvpx shows a picture outside the blocks that it holds")
        }
        guard let lease = blocks.lease(index, limit: limit), let block = blocks.block(index) else { return nil }
        let chroma = resolution.chroma
        let layout = unsafe FrameLayout(
            format: .i420, resolution: resolution,
            planes: (
                block.plane(at: image.planes.0, image.stride.0, resolution),
                block.plane(at: image.planes.1, image.stride.1, chroma),
                block.plane(at: image.planes.2, image.stride.2, chroma)
            ))
        precondition(layout.byteCount <= block.byteCount, "libvpx shows a picture that exceeds its block")
        return unsafe VideoFrame(
            layout: layout, base: UnsafePointer(block.base), lease: lease, captureTime: captureTime,
            colorSpace: ColorSpace(image))
    }
}

extension BlockPool.Block {
    /// Returns the layout of a plane that libvpx placed in the block.
    fileprivate func plane(
        at start: UnsafeMutablePointer<UInt8>?, _ stride: Int32, _ size: Resolution
    ) -> FrameLayout.Plane {
        FrameLayout.Plane(
            offset: Int(bitPattern: start) - Int(bitPattern: unsafe base), stride: Int(stride),
            width: size.width, height: size.height)
    }
}

extension ColorSpace {
    /// The color space that a VP9 stream declares: BT.709, or else BT.601.
    init(_ image: vpx_image_t) {
        self.init(
            matrix: unsafe image.cs == VPX_CS_BT_709 ? .bt709 : .bt601,
            range: unsafe image.range == VPX_CR_FULL_RANGE ? .full : .limited)
    }
}

// libvpx's callbacks. The first argument is the `ReferenceBlocks` passed to the context, which outlives it.

let takeReferenceBlock: vpx_get_frame_buffer_cb_fn_t = { memory, byteCount, buffer in
    guard let memory = unsafe memory, let buffer = unsafe buffer else { return -1 }
    return unsafe Unmanaged<ReferenceBlocks>.fromOpaque(memory).takeUnretainedValue().take(
        byteCount: byteCount, buffer)
}

let releaseReferenceBlock: vpx_release_frame_buffer_cb_fn_t = { memory, buffer in
    guard let memory = unsafe memory, let buffer = unsafe buffer else { return -1 }
    return unsafe Unmanaged<ReferenceBlocks>.fromOpaque(memory).takeUnretainedValue().release(buffer)
}
