import RillCore

extension MutablePlanes {
    /// Copies an I420 picture to a place at even coordinates.
    mutating func paste(_ picture: VideoFrame, x: Int, y: Int) {
        for line in 0..<picture.y.height {
            var row = self.y.row(y + line)
            row.copy(from: picture.y.row(line), at: x)
        }
        for line in 0..<picture.u.height {
            var uRow = u.row(y / 2 + line)
            uRow.copy(from: picture.u.row(line), at: x / 2)
            var vRow = v.row(y / 2 + line)
            vRow.copy(from: picture.v.row(line), at: x / 2)
        }
    }
}

extension Resolution {
    /// The width rounded up to even, so that the chroma of adjacent pictures does not mix.
    var evenWidth: Int { (width + 1) / 2 * 2 }
    /// The same for the height.
    var evenHeight: Int { (height + 1) / 2 * 2 }
}
