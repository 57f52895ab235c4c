internal import CV4L2
import RillCore

/// A node's negotiated configuration: the mode for users, and the layout of its buffers.
struct NegotiatedMode {
    var mode: CameraMode
    var layout: PictureLayout
}

extension VideoNode {
    /// Negotiates format, size and rate: requests the best that the camera offers, and accepts what the driver makes of
    /// it.
    ///
    /// - Parameters:
    ///   - constraints: the requested properties.
    ///   - fourCC: the only format to consider, or `nil` for all.
    /// - Throws: ``CameraError/noKnownFormat(path:offered:)``,
    ///   ``CameraError/unusableMode(path:fourCC:width:height:)``, ``CameraError/callFailed(_:path:code:)``.
    func negotiate(_ constraints: CameraConstraints, _ fourCC: FourCC?) throws(CameraError) -> NegotiatedMode {
        let formats = try formats()
        let eligible = formats.filter { fourCC.map(\.letters) ?? $0.fourCC == $0.fourCC }
        guard let choice = FormatChoice(of: eligible, for: constraints) else {
            throw .noKnownFormat(path: path, offered: formats.map(\.fourCC))
        }
        let layout = try setFormat(choice)
        let rate = try setRate(choice.frameRate)
        var colorSpace = layout.colorSpace
        colorSpace.range = .limited
        let mode = CameraMode(
            pixelFormat: layout.format, resolution: layout.resolution, frameRate: rate, colorSpace: colorSpace)
        return NegotiatedMode(mode: mode, layout: layout)
    }

    private func setFormat(_ choice: FormatChoice) throws(CameraError) -> PictureLayout {
        var format = unsafe v4l2_format()
        unsafe format.type = bufferType
        // `type` selects the member of the union, here and below.
        if isMultiPlanar {
            unsafe format.fmt.pix_mp.width = UInt32(choice.resolution.width)
            unsafe format.fmt.pix_mp.height = UInt32(choice.resolution.height)
            unsafe format.fmt.pix_mp.pixelformat = choice.fourCC.code
            unsafe format.fmt.pix_mp.field = V4L2_FIELD_NONE.rawValue
        } else {
            unsafe format.fmt.pix.width = UInt32(choice.resolution.width)
            unsafe format.fmt.pix.height = UInt32(choice.resolution.height)
            unsafe format.fmt.pix.pixelformat = choice.fourCC.code
            unsafe format.fmt.pix.field = V4L2_FIELD_NONE.rawValue
        }
        try unsafe request(CV4L2_S_FMT, &format, as: .setFormat)
        return isMultiPlanar ? try unsafe layout(of: format.fmt.pix_mp) : try unsafe layout(of: format.fmt.pix)
    }

    private func layout(of pix: v4l2_pix_format) throws(CameraError) -> PictureLayout {
        try layout(
            FourCC(pix.pixelformat), Int(pix.width), Int(pix.height), field: pix.field,
            strides: [Int(pix.bytesperline)],
            colorspace: pix.colorspace, encoding: pix.ycbcr_enc, quantization: pix.quantization)
    }

    private func layout(of pix: v4l2_pix_format_mplane) throws(CameraError) -> PictureLayout {
        let planes = pix.plane_fmt
        return try layout(
            FourCC(pix.pixelformat), Int(pix.width), Int(pix.height), field: pix.field,
            strides: [planes.0, planes.1, planes.2].map { Int($0.bytesperline) }, colorspace: pix.colorspace,
            encoding: UInt32(pix.ycbcr_enc), quantization: UInt32(pix.quantization))
    }

    /// Larger strides cannot be rows of a picture of at most 16383 pixels.
    private static var maximumStride: Int { 1 << 20 }

    /// Field orders in which a buffer holds one field, or two fields one after the other. Tuners use them, cameras do
    /// not.
    private static var dividedFields: [UInt32] {
        [V4L2_FIELD_ALTERNATE, V4L2_FIELD_SEQ_TB, V4L2_FIELD_SEQ_BT].map(\.rawValue)
    }

    private func layout(
        _ fourCC: FourCC, _ width: Int, _ height: Int, field: UInt32, strides: [Int], colorspace: UInt32,
        encoding: UInt32, quantization: UInt32
    ) throws(CameraError) -> PictureLayout {
        guard let (format, arrangement) = CameraPixelFormat.known(fourCC),
            let resolution = Resolution(validatingWidth: width, height: height),
            strides.allSatisfy({ $0 <= Self.maximumStride }), !Self.dividedFields.contains(field)
        else { throw .unusableMode(path: path, fourCC: fourCC.letters, width: width, height: height) }
        let colorSpace = ColorSpace(
            format, colorspace: colorspace, encoding: encoding, quantization: quantization)
        return PictureLayout(format, arrangement, resolution, strides: strides, colorSpace: colorSpace)
    }

    /// Sets the rate. Returns the rate that the driver chose, or `nil` if it does not support or report one.
    ///
    /// Some drivers announce that the rate can be set, and refuse it: the camera then keeps the rate that it has.
    private func setRate(_ rate: FrameRate) throws(CameraError) -> FrameRate? {
        guard var parameters = streamParameters() else { return nil }
        if unsafe parameters.parm.capture.capability & UInt32(V4L2_CAP_TIMEPERFRAME) != 0 {
            unsafe parameters.parm.capture.timeperframe = rate.v4l2Interval
            let code = attempt(CV4L2_S_PARM, &parameters)
            let refusal = CameraError.callFailed(.setRate, path: path, code: code)
            guard !refusal.isGone else { throw refusal }
            if code != 0 {
                guard let kept = streamParameters() else { return nil }
                parameters = kept
            }
        }
        return unsafe FrameRate(interval: parameters.parm.capture.timeperframe)
    }

    private func streamParameters() -> v4l2_streamparm? {
        var parameters = v4l2_streamparm()
        parameters.type = bufferType
        return attempt(CV4L2_G_PARM, &parameters) == 0 ? parameters : nil
    }
}

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
