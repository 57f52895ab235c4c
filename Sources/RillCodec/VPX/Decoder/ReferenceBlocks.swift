internal import CVPX
import RillCore

/// The memory that libvpx decodes VP9 into, shared with the pictures that are handed out: nothing is copied.
///
/// libvpx takes a block for each frame and lets it go when no reference slot holds it any more; a picture keeps the block
/// as long as somebody looks at it, whatever libvpx does. Both only read by then. libvpx never finds the pool dry: sinks
/// hold at most `pictureCapacity` blocks, and it itself at most ``reserve``, one of each for its 8 references and the
/// frame in work. (One too few, tried here: it then fails every frame until a key frame.)
///
/// Threads: libvpx calls on the thread that decodes; pictures are let go on any.
final class ReferenceBlocks {
    /// Blocks that libvpx holds at the most.
    static let reserve = 9

    let blocks: BlockPool
    private let maximumByteCount: Int
    /// Which blocks libvpx has: damaged streams must not make it let go what it does not hold.
    private var isHeld: [Bool]

    /// Memory for `pictureCapacity` pictures in the hands of sinks, of at most `maximumPixelCount` pixels each.
    init(pictureCapacity: Int, maximumPixelCount: Int) {
        blocks = BlockPool(capacity: pictureCapacity + ReferenceBlocks.reserve)
        maximumByteCount = ReferenceBlocks.maximumByteCount(ofPixels: maximumPixelCount)
        isHeld = Array(repeating: false, count: blocks.capacity)
    }

    /// The most that libvpx needs for a picture: 12 bits a pixel, with a border of 160 pixels around it and sides rounded
    /// up. No stream that passed the decoder's own look at the sizes needs as much; this is the wall behind that fence.
    private static func maximumByteCount(ofPixels count: Int) -> Int {
        let border = 2 * 160 + 64
        let side = Resolution.maximumDimension + border
        let (padded, overflow) = count.addingReportingOverflow(2 * border * side)
        return overflow ? .max : padded.multipliedReportingOverflow(by: 2).overflow ? .max : 2 * padded
    }

    /// Gives libvpx a block; 0, or -1 where there is none to give.
    fileprivate func take(byteCount: Int, _ buffer: UnsafeMutablePointer<vpx_codec_frame_buffer_t>) -> Int32 {
        guard byteCount <= maximumByteCount, let block = blocks.take(byteCount: byteCount) else { return -1 }
        isHeld[block.index] = true
        unsafe buffer.pointee.data = unsafe block.base
        unsafe buffer.pointee.size = block.byteCount
        // A number and no address; 0 would mean to libvpx that it has no block.
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

    /// The picture in one of the blocks, as libvpx laid it out; `nil` when sinks hold `limit` pictures already.
    func picture(
        _ image: vpx_image_t, _ resolution: Resolution, captureTime: MediaTime, limit: Int
    ) -> VideoFrame? {
        guard let index = unsafe index(image.fb_priv), isHeld[index] else {
            preconditionFailure("libvpx shows a picture that is in none of the blocks that it holds")
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
        precondition(layout.byteCount <= block.byteCount, "libvpx shows a picture that ends behind its block")
        return unsafe VideoFrame(
            layout: layout, base: UnsafePointer(block.base), lease: lease, captureTime: captureTime,
            colorSpace: ColorSpace(image))
    }
}

extension BlockPool.Block {
    /// A plane that libvpx put somewhere in the block.
    fileprivate func plane(
        at start: UnsafeMutablePointer<UInt8>?, _ stride: Int32, _ size: Resolution
    ) -> FrameLayout.Plane {
        FrameLayout.Plane(
            offset: Int(bitPattern: start) - Int(bitPattern: unsafe base), stride: Int(stride),
            width: size.width, height: size.height)
    }
}

extension ColorSpace {
    /// What a VP9 stream says of its colours; BT.601 where it does not, or says what Rill does not tell apart.
    init(_ image: vpx_image_t) {
        self.init(
            matrix: unsafe image.cs == VPX_CS_BT_709 ? .bt709 : .bt601,
            range: unsafe image.range == VPX_CR_FULL_RANGE ? .full : .limited)
    }
}

// libvpx's callbacks: the first argument is the `ReferenceBlocks` that the context was given, which outlives it.

let takeReferenceBlock: vpx_get_frame_buffer_cb_fn_t = { memory, byteCount, buffer in
    guard let memory = unsafe memory, let buffer = unsafe buffer else { return -1 }
    return unsafe Unmanaged<ReferenceBlocks>.fromOpaque(memory).takeUnretainedValue().take(
        byteCount: byteCount, buffer)
}

let releaseReferenceBlock: vpx_release_frame_buffer_cb_fn_t = { memory, buffer in
    guard let memory = unsafe memory, let buffer = unsafe buffer else { return -1 }
    return unsafe Unmanaged<ReferenceBlocks>.fromOpaque(memory).takeUnretainedValue().release(buffer)
}
