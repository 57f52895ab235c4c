import RillCore
import RillScenes
import RillTestSupport

@testable import RillBeauty

// The measures for the targets of the filter: values of the luma in a rectangle.

extension PixelRect {
    init(_ left: Int, _ top: Int, _ right: Int, _ bottom: Int) {
        self.init(columns: left..<right, rows: top..<bottom)
    }
}

extension VideoFrame {
    /// A frame with the same pixels, to paint on.
    func editable() throws -> MutableFrame {
        var target = try existing(FramePool(resolution: resolution, capacity: 1).makeFrame())
        var planes = target.planes
        for y in 0..<self.y.height {
            var row = planes.y.row(y)
            row.copy(from: self.y.row(y))
        }
        for y in 0..<u.height {
            var blue = planes.u.row(y)
            blue.copy(from: u.row(y))
            var red = planes.v.row(y)
            red.copy(from: v.row(y))
        }
        return target
    }

    /// Luma at the nearest pixel.
    private func luma(_ x: Int, _ y: Int) -> Int {
        Int(self.y[max(0, min(resolution.width - 1, x)), max(0, min(resolution.height - 1, y))])
    }

    /// The fine texture: the mean square of what a pixel differs by from the 5x5 around it. Slopes of light are none.
    func texture(in rect: PixelRect) -> Double {
        mean(in: rect) { x, y in
            var sum = 0
            for row in y - 2...y + 2 { for column in x - 2...x + 2 { sum += luma(column, row) } }
            let difference = Double(luma(x, y)) - Double(sum) / 25
            return difference * difference
        }
    }

    /// The energy of gradients: the mean square of the steps to the right and down.
    func gradientEnergy(in rect: PixelRect) -> Double {
        mean(in: rect) { x, y in
            let (across, down) = (luma(x + 1, y) - luma(x, y), luma(x, y + 1) - luma(x, y))
            return Double(across * across + down * down)
        }
    }

    func meanLuma(in rect: PixelRect) -> Double { mean(in: rect) { Double(luma($0, $1)) } }

    func meanRed(in rect: PixelRect) -> Double { mean(in: rect) { Double(self.v[$0 / 2, $1 / 2]) } }

    private func mean(in rect: PixelRect, _ value: (Int, Int) -> Double) -> Double {
        var sum = 0.0
        for y in rect.rows { for x in rect.columns { sum += value(x, y) } }
        return sum / Double(rect.rows.count * rect.columns.count)
    }

    /// The same frame with `options`.
    func beautiful(_ options: BeautyOptions) throws -> VideoFrame {
        var filter = BeautyFilter(options)
        let result = try filter.apply(to: self, into: FramePool(resolution: resolution, capacity: 1))
        guard let result else { preconditionFailure("a fresh pool has a frame") }
        return result
    }
}

extension BeautyOptions {
    /// One amount, and nothing else.
    static func only(_ path: WritableKeyPath<BeautyOptions, Double>, _ amount: Double) -> BeautyOptions {
        var options = BeautyOptions.off
        options[keyPath: path] = amount
        return options
    }
}
