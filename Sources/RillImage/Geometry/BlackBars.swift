import RillCore

extension MutableFrame {
    /// Fills the area around `picture` in an I420 frame with black, and leaves the inside unchanged.
    mutating func fillBlack(around picture: CropRegion, range: ColorSpace.Range) {
        guard picture.resolution != resolution else { return }
        let size = picture.resolution
        var planes = planes
        planes.y.fill(
            range == .limited ? 16 : 0, aroundColumns: picture.x..<picture.x + size.width,
            rows: picture.y..<picture.y + size.height)
        // A chroma sample that is partly inside the picture belongs to it.
        let columns = picture.x / 2..<(picture.x + size.width + 1) / 2
        let rows = picture.y / 2..<(picture.y + size.height + 1) / 2
        planes.u.fill(128, aroundColumns: columns, rows: rows)
        planes.v.fill(128, aroundColumns: columns, rows: rows)
    }
}

extension MutablePlane {
    /// Sets every sample outside of the rectangle to `value`.
    @_lifetime(self: copy self)
    fileprivate mutating func fill(_ value: UInt8, aroundColumns columns: Range<Int>, rows: Range<Int>) {
        let width = width
        for y in 0..<height {
            guard !rows.contains(y) || columns.count < width else { continue }
            var row = row(y)
            if rows.contains(y) {
                row.set(0..<columns.lowerBound, to: value)
                row.set(columns.upperBound..<width, to: value)
            } else {
                row.update(repeating: value)
            }
        }
    }
}

extension MutableSpan where Element == UInt8 {
    @_lifetime(self: copy self)
    fileprivate mutating func set(_ range: Range<Int>, to value: UInt8) {
        var part = _mutatingExtracting(range)
        part.update(repeating: value)
    }
}
