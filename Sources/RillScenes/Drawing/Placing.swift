import RillCore

extension MutablePlanes {
    /// Places a sprite in the frame.
    ///
    /// - Parameters:
    ///   - sprite: the sprite.
    ///   - area: the pixels that may change, starting at even numbers.
    ///   - texel: maps a position in the frame, in pixels, to the sprite's luma texels. It is evaluated at the
    ///     corners of the cells and interpolated in between.
    @_lifetime(self: copy self)
    mutating func put(_ sprite: Sprite, in area: PixelRect, texel: (Point) -> Point) {
        let left = area.columns.lowerBound
        for top in stride(from: area.rows.lowerBound, to: area.rows.upperBound, by: Cell.side) {
            let y = Float(top)
            let yEnd = Float(top + Cell.side)
            var above = FixedPoint(texel(Point(Float(left), y)))
            var below = FixedPoint(texel(Point(Float(left), yEnd)))
            for column in stride(from: left, to: area.columns.upperBound, by: Cell.side) {
                let xEnd = Float(column + Cell.side)
                let nextAbove = FixedPoint(texel(Point(xEnd, y)))
                let nextBelow = FixedPoint(texel(Point(xEnd, yEnd)))
                let cell = Cell(
                    columns: column..<min(column + Cell.side, area.columns.upperBound),
                    rows: top..<min(top + Cell.side, area.rows.upperBound),
                    topLeft: above, topRight: nextAbove, bottomLeft: below, bottomRight: nextBelow)
                switch sprite.content(columns: cell.texelColumns, rows: cell.texelRows) {
                case .nothing: break
                case .opaque: write(sprite, cell)
                case .mixed: mix(sprite, cell)
                }
                (above, below) = (nextAbove, nextBelow)
            }
        }
    }

    /// Writes a cell that the sprite fills.
    @_lifetime(self: copy self)
    private mutating func write(_ sprite: Sprite, _ cell: Cell) {
        let luma = sprite.luma.span
        for row in cell.rows {
            var (place, step) = cell.lumaRow(row)
            let start = row * y.stride
            for index in start + cell.columns.lowerBound..<start + cell.columns.upperBound {
                y.bytes[index] = UInt8(truncatingIfNeeded: sample(luma, columns: sprite.grid.columns, place))
                place &+= step
            }
        }
        let us = sprite.u.span
        let vs = sprite.v.span
        for row in cell.chromaRows {
            var (place, step) = cell.chromaRow(row)
            let start = row * u.stride
            for index in start + cell.chromaColumns.lowerBound..<start + cell.chromaColumns.upperBound {
                u.bytes[index] = UInt8(truncatingIfNeeded: sample(us, columns: sprite.chromaColumns, place))
                v.bytes[index] = UInt8(truncatingIfNeeded: sample(vs, columns: sprite.chromaColumns, place))
                place &+= step
            }
        }
    }

    /// Blends a cell that contains an edge of the sprite into the frame.
    @_lifetime(self: copy self)
    private mutating func mix(_ sprite: Sprite, _ cell: Cell) {
        let luma = sprite.luma.span
        let lumaCoverage = sprite.lumaCoverage.span
        for row in cell.rows {
            var (place, step) = cell.lumaRow(row)
            let start = row * y.stride
            for index in start + cell.columns.lowerBound..<start + cell.columns.upperBound {
                if place.isInside(columns: sprite.grid.columns, rows: sprite.grid.rows) {
                    let coverage = sample(lumaCoverage, columns: sprite.grid.columns, place)
                    let value = sample(luma, columns: sprite.grid.columns, place)
                    y.bytes[index] = covered(y.bytes[index], with: value, coverage: coverage)
                }
                place &+= step
            }
        }
        let us = sprite.u.span
        let vs = sprite.v.span
        let chromaCoverage = sprite.chromaCoverage.span
        for row in cell.chromaRows {
            var (place, step) = cell.chromaRow(row)
            let start = row * u.stride
            for index in start + cell.chromaColumns.lowerBound..<start + cell.chromaColumns.upperBound {
                if place.isInside(columns: sprite.chromaColumns, rows: sprite.chromaRows) {
                    let coverage = sample(chromaCoverage, columns: sprite.chromaColumns, place)
                    let valueU = sample(us, columns: sprite.chromaColumns, place)
                    let valueV = sample(vs, columns: sprite.chromaColumns, place)
                    u.bytes[index] = covered(u.bytes[index], with: valueU, coverage: coverage)
                    v.bytes[index] = covered(v.bytes[index], with: valueV, coverage: coverage)
                }
                place &+= step
            }
        }
    }
}

/// Returns the bilinear mean of the four texels around a position, 0 to 255.
@inline(__always)
private func sample(_ texels: Span<UInt8>, columns: Int, _ place: FixedPoint) -> Int32 {
    let index = place.row &* columns &+ place.column
    // One check for the first and the last of the four: the others are in between.
    precondition(index >= 0 && index &+ columns &+ 1 < texels.count)
    let a = unsafe Int32(texels[unchecked: index])
    let b = unsafe Int32(texels[unchecked: index &+ 1])
    let c = unsafe Int32(texels[unchecked: index &+ columns])
    let d = unsafe Int32(texels[unchecked: index &+ columns &+ 1])
    let above = a &<< 8 &+ (b &- a) &* place.columnShare
    let below = c &<< 8 &+ (d &- c) &* place.columnShare
    return (above &<< 8 &+ (below &- above) &* place.rowShare &+ 0x8000) &>> 16
}

/// Blends a code value that is already multiplied by its coverage (0 to 255) over a sample of the frame.
@inline(__always)
private func covered(_ ground: UInt8, with value: Int32, coverage: Int32) -> UInt8 {
    // Rounded division by 255 without a division. Both roundings together may be one too high.
    let rest = Int32(ground) &* (255 &- coverage) &+ 128
    return UInt8(truncatingIfNeeded: min(255, value &+ (rest &+ rest &>> 8) &>> 8))
}
