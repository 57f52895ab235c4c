import CV4L2
import Glibc
import RillCore

extension FakeCamera {
    var dueTime: MediaTime { start + (rate.time(ofFrame: number + 1) - .zero) }

    /// Goes past a frame that never comes; `false` where the next one does.
    mutating func skipMissing() -> Bool {
        guard picture(number, byteCount) == nil else { return false }
        number += 1
        return true
    }

    var bytesPerRow: Int {
        let width = format.resolution.width
        switch fourCCText(format.fourCC) {
        case "YUYV", "UYVY", "YVYU": return (width + 1) / 2 * 4 + padding
        case "RGB3", "BGR3": return 3 * width + padding
        case "MJPG": return 0
        default: return width + padding
        }
    }

    var byteCount: Int {
        let height = format.resolution.height
        let chromaHeight = (height + 1) / 2
        switch fourCCText(format.fourCC) {
        case "MJPG": return format.resolution.pixelCount * 2
        case "YU12", "YV12", "NV12", "NV21", "YM12", "YM21", "NM12", "NM21":
            return bytesPerRow * height + (bytesPerRow + 1) / 2 * 2 * chromaHeight
        case "NV16", "NM16": return 2 * bytesPerRow * height
        default: return bytesPerRow * height
        }
    }

    /// The driver's response to a request; an `errno`, or 0.
    @unsafe
    mutating func answer(_ request: UInt, _ argument: UnsafeMutableRawPointer, now: MediaTime) -> Int32 {
        func with<Record>(_ type: Record.Type, _ body: (inout Record) -> Int32) -> Int32 {
            unsafe body(&argument.assumingMemoryBound(to: type).pointee)
        }
        switch request {
        case CV4L2_QUERYCAP:
            return with(v4l2_capability.self) { record in
                put(name, &record.card)
                put(bus, &record.bus_info)
                put(driver, &record.driver)
                record.capabilities = 0x8000_0000 | UInt32(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_META_CAPTURE)
                record.device_caps = abilities
                return 0
            }
        case CV4L2_ENUM_FMT:
            return with(v4l2_fmtdesc.self) { record in
                guard Int(record.index) < formats.count else { return EINVAL }
                record.pixelformat = code(formats[Int(record.index)].fourCC)
                put("Format", &record.description)
                return 0
            }
        case CV4L2_ENUM_FRAMESIZES: return with(v4l2_frmsizeenum.self) { size(&$0) }
        case CV4L2_ENUM_FRAMEINTERVALS: return with(v4l2_frmivalenum.self) { interval(&$0) }
        case CV4L2_S_FMT: return unsafe with(v4l2_format.self) { unsafe setFormat(&$0) }
        case CV4L2_G_PARM, CV4L2_S_PARM:
            return with(v4l2_streamparm.self) { record in
                if request == CV4L2_S_PARM {
                    let interval = unsafe record.parm.capture.timeperframe
                    rate = FrameRate(Int(interval.denominator), per: Int(interval.numerator))
                }
                unsafe record.parm.capture.capability = UInt32(V4L2_CAP_TIMEPERFRAME)
                unsafe record.parm.capture.timeperframe = v4l2_fract(
                    numerator: UInt32(rate.denominator), denominator: UInt32(rate.numerator))
                return 0
            }
        case CV4L2_REQBUFS: return 0
        case CV4L2_QUERYBUF:
            return unsafe with(v4l2_buffer.self) { record in
                if isMultiPlanar {
                    let planes = planeSizes
                    for (plane, size) in planes.enumerated() {
                        unsafe record.m.planes[plane].length = UInt32(dataOffset + size)
                        unsafe record.m.planes[plane].m.mem_offset = record.index << 8 | UInt32(plane)
                    }
                } else {
                    unsafe record.length = UInt32(byteCount)
                    unsafe record.m.offset = record.index << 8
                }
                return 0
            }
        case CV4L2_QBUF:
            return unsafe with(v4l2_buffer.self) { record in
                unsafe queued.append(Int(record.index))
                return 0
            }
        case CV4L2_STREAMON:
            isStreaming = true
            start = now
            number = 0
            return 0
        case CV4L2_STREAMOFF:
            isStreaming = false
            queued = []
            return 0
        case CV4L2_QUERYCTRL: return with(v4l2_queryctrl.self) { control(&$0) }
        case CV4L2_QUERYMENU:
            return with(v4l2_querymenu.self) { record in
                let (identifier, index) = (record.id, record.index)
                guard let item = controls.first(where: { $0.identifier == identifier })?.items[index] else {
                    return EINVAL
                }
                put(item, &record.name)
                return 0
            }
        case CV4L2_G_CTRL:
            return with(v4l2_control.self) { record in
                let identifier = record.id
                guard let control = controls.first(where: { $0.identifier == identifier }) else { return EINVAL }
                record.value = control.value
                return 0
            }
        case CV4L2_S_CTRL:
            return with(v4l2_control.self) { record in
                let identifier = record.id
                guard let place = controls.firstIndex(where: { $0.identifier == identifier }) else { return EINVAL }
                controls[place].value = record.value
                return 0
            }
        default: return ENOTTY
        }
    }

    private func size(_ record: inout v4l2_frmsizeenum) -> Int32 {
        let wanted = record.pixel_format
        guard let format = formats.first(where: { code($0.fourCC) == wanted }) else { return EINVAL }
        if let (least, most, step, _) = format.range {
            guard record.index == 0 else { return EINVAL }
            record.type =
                (format.isContinuous ? V4L2_FRMSIZE_TYPE_CONTINUOUS : V4L2_FRMSIZE_TYPE_STEPWISE).rawValue
            record.stepwise = v4l2_frmsize_stepwise(
                min_width: UInt32(least.width), max_width: UInt32(most.width), step_width: UInt32(step),
                min_height: UInt32(least.height), max_height: UInt32(most.height), step_height: UInt32(step))
            return 0
        }
        guard Int(record.index) < format.sizes.count else { return EINVAL }
        let size = format.sizes[Int(record.index)].resolution
        record.type = V4L2_FRMSIZE_TYPE_DISCRETE.rawValue
        record.discrete = v4l2_frmsize_discrete(width: UInt32(size.width), height: UInt32(size.height))
        return 0
    }

    private func interval(_ record: inout v4l2_frmivalenum) -> Int32 {
        let wanted = record.pixel_format
        guard let format = formats.first(where: { code($0.fourCC) == wanted }) else { return EINVAL }
        if let (_, _, _, fastest) = format.range {
            guard record.index == 0 else { return EINVAL }
            record.type = V4L2_FRMIVAL_TYPE_CONTINUOUS.rawValue
            record.stepwise = v4l2_frmival_stepwise(
                min: v4l2_fract(numerator: UInt32(fastest.denominator), denominator: UInt32(fastest.numerator)),
                max: v4l2_fract(numerator: 1, denominator: 1), step: v4l2_fract(numerator: 1, denominator: 1))
            return 0
        }
        let (width, height) = (Int(record.width), Int(record.height))
        guard let size = format.sizes.first(where: { $0.resolution.width == width && $0.resolution.height == height }),
            Int(record.index) < size.rates.count
        else { return EINVAL }
        let rate = size.rates[Int(record.index)]
        record.type = V4L2_FRMIVAL_TYPE_DISCRETE.rawValue
        record.discrete = v4l2_fract(numerator: UInt32(rate.denominator), denominator: UInt32(rate.numerator))
        return 0
    }

    /// Takes the format as it is asked for: the code under test asks for one that is offered.
    private mutating func setFormat(_ record: inout v4l2_format) -> Int32 {
        if isMultiPlanar {
            let pix = unsafe record.fmt.pix_mp
            format = (pix.pixelformat, Resolution(width: Int(pix.width), height: Int(pix.height)))
            unsafe record.fmt.pix_mp.num_planes = UInt8(planeSizes.count)
            unsafe record.fmt.pix_mp.plane_fmt.0.bytesperline = UInt32(bytesPerRow)
            unsafe record.fmt.pix_mp.plane_fmt.1.bytesperline = UInt32(planeStrides[1])
            unsafe record.fmt.pix_mp.plane_fmt.2.bytesperline = UInt32(planeStrides[2])
            unsafe record.fmt.pix_mp.colorspace = colorspace
            unsafe record.fmt.pix_mp.quantization = UInt8(quantization)
            unsafe record.fmt.pix_mp.field = field
        } else {
            let pix = unsafe record.fmt.pix
            format = (pix.pixelformat, Resolution(width: Int(pix.width), height: Int(pix.height)))
            unsafe record.fmt.pix.bytesperline = UInt32(bytesPerRow)
            unsafe record.fmt.pix.sizeimage = UInt32(byteCount)
            unsafe record.fmt.pix.colorspace = colorspace
            unsafe record.fmt.pix.quantization = quantization
            unsafe record.fmt.pix.field = field
        }
        return 0
    }

    private func control(_ record: inout v4l2_queryctrl) -> Int32 {
        let last = record.id & ~UInt32(V4L2_CTRL_FLAG_NEXT_CTRL)
        guard let control = controls.first(where: { $0.identifier > last }) else { return EINVAL }
        record.id = control.identifier
        record.type = control.type
        put(control.name, &record.name)
        record.minimum = control.range.lowerBound
        record.maximum = control.range.upperBound
        record.step = control.step
        record.default_value = control.defaultValue
        record.flags = control.flags
        return 0
    }

    /// Bytes from row to row of each plane that has a buffer of its own.
    private var planeStrides: [Int] {
        switch fourCCText(format.fourCC) {
        case "YM12", "YM21": [bytesPerRow, (bytesPerRow + 1) / 2, (bytesPerRow + 1) / 2]
        default: [bytesPerRow, bytesPerRow, 0]
        }
    }

    /// Bytes of each buffer that makes up a picture.
    var planeSizes: [Int] {
        let height = format.resolution.height
        let chromaHeight = (height + 1) / 2
        switch fourCCText(format.fourCC) {
        case "YM12", "YM21":
            return [planeStrides[0] * height, planeStrides[1] * chromaHeight, planeStrides[2] * chromaHeight]
        case "NM12", "NM21": return [planeStrides[0] * height, planeStrides[1] * chromaHeight]
        case "NM16": return [planeStrides[0] * height, planeStrides[1] * height]
        default: return [byteCount]
        }
    }
}

/// A code of four letters, and back.
func code(_ letters: String) -> UInt32 { letters.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
func fourCCText(_ code: UInt32) -> String {
    String(decoding: [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: code >> UInt32($0)) }, as: UTF8.self)
}

/// Writes a text into a field of bytes, with a zero behind it.
private func put<Field>(_ text: String, _ field: inout Field) {
    unsafe withUnsafeMutableBytes(of: &field) { bytes in
        for (at, byte) in (Array(text.utf8.prefix(bytes.count - 1)) + [0]).enumerated() { unsafe bytes[at] = byte }
    }
}
