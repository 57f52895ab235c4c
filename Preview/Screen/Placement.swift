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

/// Where a picture lies in an area that has another shape.
package enum Scaling: Sendable {
    /// All of it is seen, with bars beside it.
    case fit
    /// All of the area is covered, and what does not fit is cut off on both sides.
    case fill

    /// Where the whole picture is drawn; with ``fill`` it reaches beyond the area, which clips it.
    package func area(of width: Int, _ height: Int, in area: Area) -> Area {
        guard width > 0, height > 0, area.width > 0, area.height > 0 else { return area }
        // Compared in whole numbers: a picture of the area's shape fills it to the pixel.
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

/// Where the pictures of several people lie in a window.
package enum Arrangement: Equatable, Sendable {
    /// All of the same size, in as many columns as makes them largest.
    case grid
    /// One large, and the others in a row below it.
    case one(Int)
    /// The first over the whole window, and the second small in its corner.
    case inset

    /// The areas of `count` pictures, in their order, in a window of that size.
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
        // The more columns, the lower the rows: the best number is where pictures of 4:3 are largest.
        let columns =
            (1...count).max { size(of: $0, count, width, height) < size(of: $1, count, width, height) } ?? 1
        let rows = (count + columns - 1) / columns
        return (0..<count).map { index in
            let (row, column) = (index / columns, index % columns)
            // The last row is centred.
            let inRow = row == rows - 1 ? count - row * columns : columns
            let start = (width - inRow * (width / columns)) / 2
            let (left, top) = (start + column * (width / columns), row * height / rows)
            return Area(x: left, y: top, width: width / columns, height: (row + 1) * height / rows - top)
        }
    }

    /// How wide pictures of 4:3 are in so many columns.
    private static func size(of columns: Int, _ count: Int, _ width: Int, _ height: Int) -> Int {
        let rows = (count + columns - 1) / columns
        return min(width / columns, height / rows * 4 / 3)
    }
}
