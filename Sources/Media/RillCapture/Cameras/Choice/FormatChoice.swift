import RillCore

/// The format, size and rate to request from a camera: a pure function of what it offers and the constraints.
///
/// In this order:
/// 1. the size: the requested one; else the smallest that is at least as large in both directions; else the largest;
/// 2. the rate: the slowest that is at least the requested one; else the fastest;
/// 3. the format, among those that reach the same size and rate: planar YUV (I420, YV12), packed YUV (YUYV, UYVY,
///    YVYU), NV12 and similar, RGB, then MJPEG, which costs a decoder and has already lost detail, and last gray.
///
/// So MJPEG is chosen only if nothing else has the size or reaches the rate.
struct FormatChoice: Equatable {
    var fourCC: FourCC
    var resolution: Resolution
    var frameRate: FrameRate
}

extension FormatChoice {
    /// Chooses the best of `formats`. Returns `nil` if none is supported.
    init?(of formats: [CameraFormat], for constraints: CameraConstraints) {
        var best: (choice: FormatChoice, rank: Rank)?
        for format in formats {
            guard let pixelFormat = format.pixelFormat, constraints.pixelFormat ?? pixelFormat == pixelFormat else {
                continue
            }
            for size in format.sizes.candidates(for: constraints) {
                let rate = size.rates.nearest(to: constraints.frameRate)
                let rank = Rank(size.resolution, rate, pixelFormat, constraints)
                guard best.map({ rank < $0.rank }) ?? true else { continue }
                best = (
                    FormatChoice(fourCC: FourCC(format.fourCC), resolution: size.resolution, frameRate: rate), rank
                )
            }
        }
        guard let best else { return nil }
        self = best.choice
    }
}

/// The distance of a choice from the constraints: less is better, and earlier fields take precedence.
private struct Rank: Comparable {
    private let isTooSmall: Bool
    private let pixelsAway: Int
    /// Missing frames per second, in tenths, so that 30000/1001 is as good as 30.
    private let missingRate: Int
    private let preference: Int
    /// Rates above the requested one cost time, and the extra frames are dropped.
    private let excessRate: Int

    init(_ resolution: Resolution, _ rate: FrameRate, _ format: CameraPixelFormat, _ constraints: CameraConstraints) {
        isTooSmall =
            resolution.width < constraints.resolution.width || resolution.height < constraints.resolution.height
        pixelsAway = abs(resolution.pixelCount - constraints.resolution.pixelCount)
        let difference = Int(((rate.framesPerSecond - constraints.frameRate.framesPerSecond) * 10).rounded())
        missingRate = max(0, -difference)
        excessRate = max(0, difference)
        preference = format.preference
    }

    private var key: (Int, Int, Int, Int, Int) {
        (isTooSmall ? 1 : 0, pixelsAway, missingRate, preference, excessRate)
    }

    static func < (a: Rank, b: Rank) -> Bool { a.key < b.key }
    static func == (a: Rank, b: Rank) -> Bool { a.key == b.key }
}

extension CameraPixelFormat {
    /// The rank in the order of preference, from 0.
    fileprivate var preference: Int {
        switch self {
        case .i420, .yv12: 0
        case .yuyv, .uyvy, .yvyu: 1
        case .nv12, .nv21, .nv16: 2
        case .rgb24, .bgr24: 3
        case .mjpeg: 4
        case .grey: 5
        }
    }
}

extension CameraSizes {
    /// The sizes to consider.
    fileprivate func candidates(for constraints: CameraConstraints) -> [CameraSize] {
        switch self {
        case .discrete(let sizes): return sizes
        case .stepwise(let minimum, let maximum, let widthStep, let heightStep, let rates):
            let width = stepped(constraints.resolution.width, minimum.width, maximum.width, widthStep)
            let height = stepped(constraints.resolution.height, minimum.height, maximum.height, heightStep)
            return [CameraSize(resolution: Resolution(width: width, height: height), rates: rates)]
        case .unknown: return [CameraSize(resolution: constraints.resolution, rates: .unknown)]
        }
    }
}

/// Returns the smallest value in the stepped range that is at least `value`, or the largest.
private func stepped(_ value: Int, _ minimum: Int, _ maximum: Int, _ step: Int) -> Int {
    let bounded = min(max(value, minimum), maximum)
    let up = minimum + (bounded - minimum + step - 1) / step * step
    return up <= maximum ? up : minimum + (maximum - minimum) / step * step
}

extension CameraRates {
    /// Returns the slowest rate that is at least `wanted` (minus a twentieth of a frame), else the fastest.
    fileprivate func nearest(to wanted: FrameRate) -> FrameRate {
        let enough = wanted.framesPerSecond - 0.05
        switch self {
        case .discrete(let rates):
            let fast = rates.filter { $0.framesPerSecond >= enough }
            return fast.min { $0.framesPerSecond < $1.framesPerSecond } ?? fastest ?? wanted
        case .range(let slowest, let fastest):
            return FrameRate.slower(fastest, FrameRate.slower(slowest, wanted) == wanted ? slowest : wanted)
        case .unknown: return wanted
        }
    }
}
