import Rill
import RillBeauty
import RillCore
import RillFiles

/// Reads a clip and makes its pictures beautiful; with the filter off it reads alone.
struct BeautyWork {
    var clip: String
    var options: BeautyOptions

    func run() throws -> Int {
        let clip = try Y4MReader(path: clip, capacity: 2)
        let pool = try FramePool(resolution: clip.format.resolution, capacity: 1)
        var filter = BeautyFilter(options)
        var count = 0
        while case .frame(let frame) = try clip.next() {
            guard try filter.apply(to: frame, into: pool) != nil else { break }
            count += 1
        }
        return count
    }
}
