internal import CV4L2
import Glibc
import RillCore

// The formats that a camera offers. A driver ends a list with EINVAL; the bounds here are for drivers that never do.

extension VideoNode {
    private static let maximumListLength: UInt32 = 256

    /// Returns all formats, with sizes and rates.
    func formats() throws(CameraError) -> [CameraFormat] {
        var formats: [CameraFormat] = []
        for index in 0..<Self.maximumListLength {
            var description = v4l2_fmtdesc()
            description.index = index
            description.type = bufferType
            guard try hasNext(CV4L2_ENUM_FMT, &description) else { break }
            let fourCC = FourCC(description.pixelformat)
            let known = CameraPixelFormat.known(fourCC)
            formats.append(
                CameraFormat(
                    fourCC: fourCC.letters, name: text(of: description.description),
                    pixelFormat: known?.format, sizes: sizes(of: fourCC)))
        }
        return formats
    }

    /// Requests an entry of a list. Returns `false` after the last one.
    private func hasNext<Argument>(_ request: UInt, _ argument: inout Argument) throws(CameraError) -> Bool {
        switch attempt(request, &argument) {
        case 0: return true
        // ENOTTY: the driver has no such list at all.
        case EINVAL, ENOTTY: return false
        case let code: throw .callFailed(.enumerate, path: path, code: code)
        }
    }

    private func sizes(of fourCC: FourCC) -> CameraSizes {
        var discrete: [CameraSize] = []
        for index in 0..<Self.maximumListLength {
            var entry = v4l2_frmsizeenum()
            entry.index = index
            entry.pixel_format = fourCC.code
            guard attempt(CV4L2_ENUM_FRAMESIZES, &entry) == 0 else { break }
            // The type selects the member of the union.
            if entry.type != V4L2_FRMSIZE_TYPE_DISCRETE.rawValue {
                let isContinuous = entry.type == V4L2_FRMSIZE_TYPE_CONTINUOUS.rawValue
                return stepwise(entry.stepwise, fourCC, isContinuous: isContinuous)
            }
            let size = entry.discrete
            // Sizes that Rill does not support are skipped.
            if let resolution = Resolution(validatingWidth: Int(size.width), height: Int(size.height)) {
                discrete.append(CameraSize(resolution: resolution, rates: rates(of: fourCC, resolution)))
            }
        }
        return discrete.isEmpty ? .unknown : .discrete(discrete)
    }

    private func stepwise(_ sizes: v4l2_frmsize_stepwise, _ fourCC: FourCC, isContinuous: Bool) -> CameraSizes {
        let most = UInt32(Resolution.maximumDimension)
        guard
            let minimum = Resolution(
                validatingWidth: Int(max(1, sizes.min_width)), height: Int(max(1, sizes.min_height))),
            let maximum = Resolution(
                validatingWidth: Int(min(most, sizes.max_width)), height: Int(min(most, sizes.max_height))),
            minimum.width <= maximum.width, minimum.height <= maximum.height
        else { return .unknown }
        var rates = rates(of: fourCC, maximum)
        if rates == .unknown { rates = self.rates(of: fourCC, minimum) }
        return .stepwise(
            minimum: minimum, maximum: maximum, widthStep: isContinuous ? 1 : Int(max(1, sizes.step_width)),
            heightStep: isContinuous ? 1 : Int(max(1, sizes.step_height)), rates: rates)
    }

    func rates(of fourCC: FourCC, _ resolution: Resolution) -> CameraRates {
        var discrete: [FrameRate] = []
        for index in 0..<Self.maximumListLength {
            var entry = v4l2_frmivalenum()
            entry.index = index
            entry.pixel_format = fourCC.code
            entry.width = UInt32(resolution.width)
            entry.height = UInt32(resolution.height)
            guard attempt(CV4L2_ENUM_FRAMEINTERVALS, &entry) == 0 else { break }
            // The type selects the member of the union.
            if entry.type != V4L2_FRMIVAL_TYPE_DISCRETE.rawValue {
                let intervals = entry.stepwise
                guard let slowest = FrameRate(interval: intervals.max), let fastest = FrameRate(interval: intervals.min)
                else { return .unknown }
                return .range(slowest: slowest, fastest: fastest)
            }
            if let rate = FrameRate(interval: entry.discrete), !discrete.contains(rate) { discrete.append(rate) }
        }
        return discrete.isEmpty ? .unknown : .discrete(discrete)
    }
}

extension FrameRate {
    /// Creates the rate from a frame interval, in lowest terms. Returns `nil` if the interval is not valid.
    init?(interval: v4l2_fract) {
        var (a, b) = (Int(interval.numerator), Int(interval.denominator))
        guard a > 0, b > 0 else { return nil }
        while b != 0 { (a, b) = (b, a % b) }
        self.init(validating: Int(interval.denominator) / a, per: Int(interval.numerator) / a)
    }

    /// The time from one frame to the next, as a V4L2 fraction.
    var v4l2Interval: v4l2_fract {
        v4l2_fract(numerator: UInt32(denominator), denominator: UInt32(numerator))
    }
}
