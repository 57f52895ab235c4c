#if Window
/// A rectangle in pixels of the window.
package struct Area: Equatable, Sendable {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int

    package init(x: Int, y: Int, width: Int, height: Int) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    package func contains(x: Int, y: Int) -> Bool {
        x >= self.x && x < self.x + width && y >= self.y && y < self.y + height
    }
}

/// The scaling of a picture into an area with another aspect ratio.
package enum Scaling: Sendable {
    /// The whole picture is visible, with black bars.
    case fit
    /// The whole area is covered; the picture is cropped on both sides.
    case fill

    package mutating func toggle() { self = self == .fit ? .fill : .fit }

    /// The rectangle of the whole picture; with ``fill`` it extends beyond the area, which clips it.
    package func area(of width: Int, _ height: Int, in area: Area) -> Area {
        guard width > 0, height > 0, area.width > 0, area.height > 0 else { return area }
        // Compared as integers: a picture with the area's aspect ratio fills it exactly.
        let isWider = width * area.height > height * area.width
        let spansWidth = isWider == (self == .fit)
        let size =
            spansWidth
            ? (width: area.width, height: (height * area.width + width / 2) / width)
            : (width: (width * area.height + height / 2) / height, height: area.height)
        return Area(
            x: area.x + (area.width - size.width) / 2, y: area.y + (area.height - size.height) / 2, width: size.width,
            height: size.height)
    }
}

/// The arrangement of several pictures in a window.
package enum Arrangement: Equatable, Sendable {
    /// All pictures of the same size, with the number of columns that makes them largest.
    case grid
    /// One large picture, and the others in a row below it.
    case one(Int)
    /// The first picture in the whole window, and the second small in its corner.
    case inset

    /// The areas of `count` pictures, in order, in a window of that size.
    package func areas(_ count: Int, width: Int, height: Int) -> [Area] {
        guard count > 0 else { return [] }
        let whole = Area(x: 0, y: 0, width: width, height: height)
        switch self {
        case .inset where count > 1:
            let (w, h) = (width / 4, height / 4)
            let corner = Area(x: width - w - width / 50, y: height - h - width / 50, width: w, height: h)
            return [whole, corner] + Array(repeating: Area(x: 0, y: 0, width: 0, height: 0), count: count - 2)
        case .one(let large) where count > 1 && large < count:
            let strip = height / 5
            let others = count - 1
            let each = min(width / others, strip * 4 / 3)
            let start = (width - each * others) / 2
            var areas: [Area] = []
            for index in 0..<count {
                if index == large {
                    areas.append(Area(x: 0, y: 0, width: width, height: height - strip))
                } else {
                    let place = index < large ? index : index - 1
                    areas.append(Area(x: start + place * each, y: height - strip, width: each, height: strip))
                }
            }
            return areas
        case .grid, .one, .inset: return Arrangement.grid(count, width, height)
        }
    }

    private static func grid(_ count: Int, _ width: Int, _ height: Int) -> [Area] {
        // The number of columns with the largest 4:3 pictures.
        let columns =
            (1...count).max { size(of: $0, count, width, height) < size(of: $1, count, width, height) } ?? 1
        let rows = (count + columns - 1) / columns
        return (0..<count).map { index in
            let (row, column) = (index / columns, index % columns)
            // The last row is centered.
            let inRow = row == rows - 1 ? count - row * columns : columns
            let start = (width - inRow * (width / columns)) / 2
            let (left, top) = (start + column * (width / columns), row * height / rows)
            return Area(x: left, y: top, width: width / columns, height: (row + 1) * height / rows - top)
        }
    }

    /// The width of 4:3 pictures in that number of columns.
    private static func size(of columns: Int, _ count: Int, _ width: Int, _ height: Int) -> Int {
        let rows = (count + columns - 1) / columns
        return min(width / columns, height / rows * 4 / 3)
    }
}
#endif
