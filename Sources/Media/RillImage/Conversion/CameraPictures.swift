internal import CYUV
package import RillCore

// Conversions of cameras' raw formats to I420, each in one pass over the samples. Planes smaller than the frame needs
// trap: callers check planes from a driver first.

extension MutableFrame {
    /// The byte orders of packed 4:2:2, two pixels in four bytes.
    package enum PackedOrder: Sendable {
        case yuyv, uyvy, yvyu
    }

    /// Fills an I420 frame from packed 4:2:2. The chroma of each pair of rows is averaged.
    package mutating func fill(fromPacked source: Plane, _ order: PackedOrder) {
        check(source, width: 4 * resolution.chroma.width, height: resolution.height)
        // In YVYU, U and V are exchanged relative to YUYV.
        let (u, v) = order == .yvyu ? (2, 1) : (1, 2)
        // libyuv reads within the plane checked above, and writes within this frame's layout, here and below.
        unsafe source.bytes.withUnsafeBufferPointer { bytes in
            let convert = unsafe order == .uyvy ? UYVYToI420 : YUY2ToI420
            _ = unsafe convert(
                bytes.baseAddress, Int32(source.stride), mutablePointer(plane: 0), Int32(stride(0)),
                mutablePointer(plane: u), Int32(stride(u)), mutablePointer(plane: v), Int32(stride(v)),
                Int32(resolution.width), Int32(resolution.height))
        }
    }

    /// Fills an I420 frame from three planes.
    package mutating func fill(fromPlanar y: Plane, u: Plane, v: Plane) {
        let chroma = resolution.chroma
        check(y, width: resolution.width, height: resolution.height)
        check(u, width: chroma.width, height: chroma.height)
        check(v, width: chroma.width, height: chroma.height)
        copy(y, toPlane: 0)
        copy(u, toPlane: 1)
        copy(v, toPlane: 2)
    }

    /// Fills an I420 frame from luma and interleaved chroma, U or V first.
    package mutating func fill(fromLuma y: Plane, interleaved chroma: Plane, isVFirst: Bool) {
        check(y, width: resolution.width, height: resolution.height)
        check(chroma, width: 2 * resolution.chroma.width, height: resolution.chroma.height)
        let (u, v) = isVFirst ? (2, 1) : (1, 2)
        unsafe y.bytes.withUnsafeBufferPointer { luma in
            unsafe chroma.bytes.withUnsafeBufferPointer { chromaBytes in
                _ = unsafe NV12ToI420(
                    luma.baseAddress, Int32(y.stride), chromaBytes.baseAddress, Int32(chroma.stride),
                    mutablePointer(plane: 0), Int32(stride(0)), mutablePointer(plane: u), Int32(stride(u)),
                    mutablePointer(plane: v), Int32(stride(v)), Int32(resolution.width), Int32(resolution.height))
            }
        }
    }

    /// Fills an I420 frame from luma and interleaved chroma for every row. The chroma of each pair of rows is
    /// averaged.
    ///
    /// - Parameters:
    ///   - y: the luma plane.
    ///   - chroma: the interleaved chroma plane, with as many rows as luma.
    ///   - row: memory for one row of chroma, which is kept and reused.
    package mutating func fill(fromLuma y: Plane, tallInterleaved chroma: Plane, using row: inout [UInt8]) {
        let size = resolution.chroma
        check(y, width: resolution.width, height: resolution.height)
        check(chroma, width: 2 * size.width, height: resolution.height)
        copy(y, toPlane: 0)
        if row.count < 2 * size.width { row = [UInt8](repeating: 0, count: 2 * size.width) }
        unsafe chroma.bytes.withUnsafeBufferPointer { bytes in
            unsafe row.withUnsafeMutableBufferPointer { row in
                for line in 0..<size.height {
                    let first = unsafe bytes.baseAddress! + 2 * line * chroma.stride
                    // The last row of an odd height has no partner.
                    let second = unsafe 2 * line + 1 < resolution.height ? first + chroma.stride : first
                    unsafe InterpolatePlane(
                        first, 0, second, 0, row.baseAddress!, 0, Int32(2 * size.width), 1, 128)
                    unsafe SplitUVPlane(
                        row.baseAddress!, 0, mutablePointer(plane: 1) + line * stride(1), 0,
                        mutablePointer(plane: 2) + line * stride(2), 0, Int32(size.width), 1)
                }
            }
        }
    }

    /// Fills an I420 frame, in BT.601 and limited range, from red, green and blue bytes, or blue, green and red.
    package mutating func fill(fromRGB source: Plane, isBlueFirst: Bool) {
        check(source, width: 3 * resolution.width, height: resolution.height)
        unsafe source.bytes.withUnsafeBufferPointer { bytes in
            // libyuv names formats by little-endian words: its RGB24 starts with blue.
            let convert = unsafe isBlueFirst ? RGB24ToI420 : RAWToI420
            _ = unsafe convert(
                bytes.baseAddress, Int32(source.stride), mutablePointer(plane: 0), Int32(stride(0)),
                mutablePointer(plane: 1), Int32(stride(1)), mutablePointer(plane: 2), Int32(stride(2)),
                Int32(resolution.width), Int32(resolution.height))
        }
    }

    /// Fills an I420 frame from luma only, without color.
    package mutating func fill(fromGrey source: Plane) {
        check(source, width: resolution.width, height: resolution.height)
        copy(source, toPlane: 0)
        fillGrey()
    }

    /// Removes the color of an I420 frame.
    package mutating func fillGrey() {
        var planes = planes
        planes.u.fill(128)
        planes.v.fill(128)
    }

    private func check(_ plane: Plane, width: Int, height: Int) {
        precondition(layout.format == .i420, "only I420 frames are filled from a camera's pictures")
        precondition(
            plane.width >= width && plane.height >= height && plane.stride >= width
                && plane.bytes.count >= (height - 1) * plane.stride + width,
            "a plane of \(plane.width)x\(plane.height) does not fill one of \(width)x\(height)")
    }

    private mutating func copy(_ source: Plane, toPlane index: Int) {
        let size = layout[plane: index]
        unsafe source.bytes.withUnsafeBufferPointer { bytes in
            unsafe CopyPlane(
                bytes.baseAddress, Int32(source.stride), mutablePointer(plane: index), Int32(size.stride),
                Int32(size.width), Int32(size.height))
        }
    }
}
