internal import CV4L2
import RillCore

extension ColorSpace {
    /// Creates the color space that a driver reports. Fields that it leaves open take V4L2's defaults.
    ///
    /// - Parameters:
    ///   - format: the pixel format. RGB becomes BT.601 in limited range, whatever it was; JPEG is BT.601 in full
    ///     range by its own standard (JFIF).
    ///   - colorspace: `colorspace` of V4L2.
    ///   - encoding: `ycbcr_enc` of V4L2.
    ///   - quantization: `quantization` of V4L2.
    init(_ format: CameraPixelFormat, colorspace: UInt32, encoding: UInt32, quantization: UInt32) {
        switch format {
        case .rgb24, .bgr24:
            self = .bt601
            return
        case .mjpeg:
            self.init(matrix: .bt601, range: .full)
            return
        default: break
        }
        let isHD =
            encoding == V4L2_YCBCR_ENC_709.rawValue || encoding == V4L2_YCBCR_ENC_XV709.rawValue
            || encoding == V4L2_YCBCR_ENC_DEFAULT.rawValue
                && (colorspace == V4L2_COLORSPACE_REC709.rawValue || colorspace == V4L2_COLORSPACE_DCI_P3.rawValue)
        let isFull =
            quantization == V4L2_QUANTIZATION_FULL_RANGE.rawValue
            || quantization == V4L2_QUANTIZATION_DEFAULT.rawValue && colorspace == V4L2_COLORSPACE_JPEG.rawValue
        self.init(matrix: isHD ? .bt709 : .bt601, range: isFull ? .full : .limited)
    }
}
