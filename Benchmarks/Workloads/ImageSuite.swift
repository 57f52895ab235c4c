import Glibc
import Machine
import Rill
import RillFiles
import RillImage

extension Suite {
    static let imageWorkloads: [Workload] = [
        Workload(.image, "y4m-read", of: .clipFrame, count: 25) { material in
            let path = material.path(.clip)
            var clip = try Y4MReader(path: path)
            return { count in
                try repeating(count) { () -> UInt8? in
                    if case .frame(let frame) = try clip.next() { return frame.y[0, 0] }
                    clip = try Y4MReader(path: path)
                    guard case .frame(let frame) = try clip.next() else { return nil }
                    return frame.y[0, 0]
                }
            }
        },
        Workload(.image, "nv12", of: .clipFrame, count: 10) { material in
            let picture = try interleaved(material.frame(0))
            let pool = try material.pool()
            return { count in try repeating(count) { picture.convertedToI420(into: pool)?.u[0, 0] } }
        },
        Workload(.image, "scale-low", of: .clipFrame, count: 10, floor: "image/scale-low-libyuv") { material in
            let picture = try material.frame(0)
            let pool = try FramePool(resolution: LayerSettings.low.resolution, capacity: 1)
            let fit = PictureFit(picture.resolution, into: pool.layout.resolution, .crop)
            return { count in try repeating(count) { picture.scaled(fit, into: pool)?.y[0, 0] } }
        },
        Workload(.image, "scale-low-libyuv", of: .clipFrame, count: 10) { material in
            let scaling = BareScaling(try material.frame(0), to: LayerSettings.low.resolution)
            return { count in try repeating(count) { scaling.run() } }
        },
        Workload(.image, "scale-half", of: .clipFrame, count: 10) { material in
            let picture = try material.frame(0)
            let (width, height) = (picture.resolution.width / 4 * 2, picture.resolution.height / 4 * 2)
            let pool = try FramePool(resolution: Resolution(width: width, height: height), capacity: 1)
            return { count in try repeating(count) { picture.scaled(into: pool)?.y[0, 0] } }
        },
        Workload(.image, "letterbox", of: .clipFrame, count: 10) { material in
            let picture = try material.frame(0)
            let pool = try FramePool(resolution: .vga, capacity: 1)
            let fit = PictureFit(picture.resolution, into: .vga, .letterbox)
            return { count in try repeating(count) { picture.scaled(fit, into: pool)?.y[0, 0] } }
        },
        Workload(.image, "rotate", of: .clipFrame, count: 10) { material in
            let picture = try material.frame(0)
            let turned = Rotation.clockwise90.applied(to: picture.resolution)
            let pool = try FramePool(resolution: turned, capacity: 1)
            return { count in try repeating(count) { picture.rotated(by: .clockwise90, into: pool)?.y[0, 0] } }
        },
        Workload(.image, "mirror", of: .clipFrame, count: 10) { material in
            let (picture, pool) = (try material.frame(0), try material.pool())
            return { count in try repeating(count) { picture.mirrored(into: pool)?.y[0, 0] } }
        },
        Workload(.image, "copy", of: .clipFrame, count: 10, floor: "image/memcpy") { material in
            let (picture, pool) = (try material.frame(0), try material.pool())
            return { count in try repeating(count) { picture.copied(into: pool)?.y[0, 0] } }
        },
        Workload(.image, "memcpy", of: .clipFrame, count: 10) { material in
            let bytes = [UInt8](repeating: 7, count: try material.pool().layout.byteCount)
            var copy = bytes
            return { count in
                try repeating(count) { () -> UInt8? in
                    copy.withUnsafeMutableBytes { _ = Glibc.memcpy($0.baseAddress!, bytes, bytes.count) }
                    return copy[0]
                }
            }
        },
        Workload(.image, "same", of: .clipFrame, count: 10, floor: "image/memcmp") { material in
            let (picture, pool) = (try material.frame(0), try material.pool())
            guard let same = picture.copied(into: pool) else { throw NoResult() }
            return { count in try repeating(count) { picture.hasSamePixels(as: same) ? 1 : nil } }
        },
        Workload(.image, "memcmp", of: .clipFrame, count: 10) { material in
            let bytes = [UInt8](repeating: 7, count: try material.pool().layout.byteCount)
            var same = bytes.map { $0 }  // in memory of its own
            return { count in
                try repeating(count) { () -> Int? in
                    // Write each time; otherwise the compiler compares only once.
                    same.withUnsafeMutableBytes {
                        $0[0] = 7
                        return Glibc.memcmp(bytes, $0.baseAddress!, bytes.count) == 0 ? 1 : nil
                    }
                }
            }
        },
        Workload(.image, "changed", of: .clipFrame, count: 100) { material in
            let (picture, other) = (try material.frame(0), try material.frame(1))
            return { count in try repeating(count) { picture.hasSamePixels(as: other) ? nil : 1 } }
        },
        Workload(.image, "psnr-ssim", of: .clipFrame, count: 3) { material in
            let (picture, other) = (try material.frame(0), try material.frame(1))
            return { count in
                try repeating(count) { () -> Int? in
                    let difference = PictureDifference(between: picture, and: other)
                    return Int(100 * (difference.psnr.y + difference.ssim.y))
                }
            }
        },
    ]
}

/// The picture with interleaved chroma, as some cameras and decoders produce it.
private func interleaved(_ picture: VideoFrame) throws -> VideoFrame {
    let pool = try FramePool(.nv12, resolution: picture.resolution, capacity: 1)
    guard var frame = pool.makeFrame() else { throw NoResult() }
    var planes = frame.planes
    planes.y.fill(100)
    planes.u.fill(120)
    return frame.finish(captureTime: .zero)
}

/// Direct calls of libyuv on planes of the same sizes: the floor for the cost of scaling.
private final class BareScaling {
    private let source: UnsafeMutablePointer<UInt8>
    private let target: UnsafeMutablePointer<UInt8>
    private let size: Resolution
    private let crop: CropRegion
    private let low: Resolution

    init(_ picture: VideoFrame, to low: Resolution) {
        size = picture.resolution
        crop = PictureFit(size, into: low, .crop).region
        self.low = low
        source = .allocate(capacity: size.pixelCount + 2 * size.chroma.pixelCount)
        target = .allocate(capacity: low.pixelCount + 2 * low.chroma.pixelCount)
        var end = source
        for index in 0..<3 {
            let plane = picture[plane: index]
            for row in 0..<plane.height {
                let samples = plane.row(row)
                for column in samples.indices { end[column] = samples[column] }
                end += plane.width
            }
        }
    }

    deinit {
        source.deallocate()
        target.deallocate()
    }

    func run() -> UInt8? {
        let (stride, lowStride) = (Int32(size.width), Int32(low.width))
        let (halfStride, lowHalfStride) = (Int32(size.chroma.width), Int32(low.chroma.width))
        let chromaOffset = crop.y / 2 * size.chroma.width + crop.x / 2
        let (u, lowU) = (source + size.pixelCount, target + low.pixelCount)
        let (v, lowV) = (u + size.chroma.pixelCount, lowU + low.chroma.pixelCount)
        let result = I420Scale(
            source + crop.y * size.width + crop.x, stride, u + chromaOffset, halfStride, v + chromaOffset, halfStride,
            Int32(crop.resolution.width), Int32(crop.resolution.height),
            target, lowStride, lowU, lowHalfStride, lowV, lowHalfStride, lowStride, Int32(low.height), kFilterBox)
        return result == 0 ? target[0] : nil
    }
}
