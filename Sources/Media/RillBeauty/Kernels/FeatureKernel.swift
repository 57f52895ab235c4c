/// How much a cell looks like lips, or like an eye with its brow, in 255ths.
///
/// Both are compared with the face's mean, and with what is above and below them: a shadow, or light from one side,
/// changes those too.
///
/// ```text
/// lips = 16 h + 10 h' - 8 l - 8 l' - 140     h: eight for each code value redder than skin
/// eyes =              - 4 l - 16 l' - 160    l: luma minus the face's; h', l': minus the mean above and below
/// ```
///
/// The numbers were fitted to polygons of 27 frames of three clips, and tried on 33 frames of three others.
enum FeatureKernel {
    /// The kind of feature.
    enum Feature {
        case lips, eyes
    }

    /// Computes it for a part of a plane.
    ///
    /// - Parameters:
    ///   - feature: the kind of feature.
    ///   - hue: from ``HueKernel``, in the area and `distance` rows around it; eyes do not use it.
    ///   - luma: the luma of each cell.
    ///   - mean: the face's mean luma.
    ///   - distance: the distance of the rows to compare with.
    ///   - area: the part to compute.
    ///   - target: the plane to write.
    static func run(
        _ feature: Feature, hue: borrowing CellPlane, luma: borrowing CellPlane, mean: UInt8, distance: Int,
        _ area: CellArea, to target: borrowing CellPlane
    ) {
        for y in area.rows {
            let luma = (luma.nearestRow(y - distance), luma.row(y), luma.nearestRow(y + distance))
            let hue = (hue.nearestRow(y - distance), hue.row(y), hue.nearestRow(y + distance))
            let output = target.row(y)
            for vector in area.vectors {
                let x = 16 &* vector
                let light = Samples(luma, x)
                switch feature {
                case .lips:
                    let red = Samples(hue, x)
                    output[bytes: x] = Bytes(
                        even: lips(red.here.even, red.away.even, light.here.even, light.away.even, mean),
                        odd: lips(red.here.odd, red.away.odd, light.here.odd, light.away.odd, mean))
                case .eyes:
                    output[bytes: x] = Bytes(
                        even: eyes(light.here.even, light.away.even, mean),
                        odd: eyes(light.here.odd, light.away.odd, mean))
                }
            }
        }
    }

    /// Sixteen samples, and twice the mean of those above and below.
    private struct Samples {
        let here, away: (even: Numbers, odd: Numbers)

        @inline(__always)
        init(_ rows: (Row, Row, Row), _ x: Int) {
            let (above, samples, below) = (rows.0[bytes: x], rows.1[bytes: x], rows.2[bytes: x])
            here = (Self.numbers(samples.evenWords), Self.numbers(samples.oddWords))
            away = (
                Self.numbers(above.evenWords &+ below.evenWords), Self.numbers(above.oddWords &+ below.oddWords)
            )
        }

        @inline(__always)
        private static func numbers(_ words: Words) -> Numbers {
            // At most 510: the same bits as signed numbers.
            unsafe unsafeBitCast(words, to: Numbers.self)
        }
    }

    @inline(__always)
    private static func lips(
        _ hue: Numbers, _ hueAway: Numbers, _ luma: Numbers, _ lumaAway: Numbers, _ mean: UInt8
    ) -> Words {
        let red = (hue &- 128) &* 16 &+ (hue &+ hue &- hueAway) &* 5
        let dark = (luma &- Int16(mean)) &* 8 &+ (luma &+ luma &- lumaAway) &* 4
        return limited(red &- dark &- 140)
    }

    @inline(__always)
    private static func eyes(_ luma: Numbers, _ lumaAway: Numbers, _ mean: UInt8) -> Words {
        let dark = (luma &- Int16(mean)) &* 4 &+ (luma &+ luma &- lumaAway) &* 8
        return limited(0 &- dark &- 160)
    }

    @inline(__always)
    private static func limited(_ sum: Numbers) -> Words {
        // From 0 to 255: the same bits.
        unsafe unsafeBitCast(sum.greater(.zero).smaller(Numbers(repeating: 255)), to: Words.self)
    }

    static func reference(
        _ feature: Feature, hue: borrowing CellPlane, luma: borrowing CellPlane, mean: UInt8, distance: Int, _ x: Int,
        _ y: Int
    ) -> UInt8 {
        func away(_ plane: borrowing CellPlane) -> Int {
            2 * Int(plane.row(y)[x]) - Int(plane.nearestRow(y - distance)[x]) - Int(plane.nearestRow(y + distance)[x])
        }
        let dark = Int(luma.row(y)[x]) - Int(mean)
        let sum =
            switch feature {
            case .lips: 16 * (Int(hue.row(y)[x]) - 128) + 5 * away(hue) - 8 * dark - 4 * away(luma) - 140
            case .eyes: -4 * dark - 8 * away(luma) - 160
            }
        return UInt8(max(0, min(255, sum)))
    }
}
