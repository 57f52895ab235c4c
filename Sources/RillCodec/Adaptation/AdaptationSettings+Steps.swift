import RillCore

extension AdaptationSettings {
    /// Returns the next reduction of a layer; `nil` if there is nothing left to reduce.
    ///
    /// - Parameters:
    ///   - degradation: the current reduction.
    ///   - resolution: the layer's size without reduction.
    ///   - frameRate: the layer's frame rate without reduction.
    func next(after degradation: Degradation, of resolution: Resolution, at frameRate: FrameRate) -> Degradation? {
        let size = degradation.applied(to: resolution)
        let smaller = degradation.smaller.applied(to: resolution)
        let canShrink = smaller.pixelCount >= minimumResolution.pixelCount && smaller != size
        let slower = degradation.slower.applied(to: frameRate)
        let canSlow = slower.framesPerSecond >= minimumFrameRate.framesPerSecond
        switch preference {
        case .maintainFramerate: return canShrink ? degradation.smaller : nil
        case .maintainResolution: return canSlow ? degradation.slower : nil
        case .balanced:
            let isStillSmooth = slower.framesPerSecond >= Self.smoothRate(for: size)
            if canSlow, isStillSmooth || !canShrink { return degradation.slower }
            return canShrink ? degradation.smaller : nil
        }
    }

    /// Returns the frame rate to keep for a size as long as the pictures can still become smaller.
    private static func smoothRate(for resolution: Resolution) -> Double {
        switch resolution.pixelCount {
        case ...(320 * 240): 7
        case ...(480 * 360): 10
        case ...(640 * 480): 15
        default: .infinity
        }
    }
}
