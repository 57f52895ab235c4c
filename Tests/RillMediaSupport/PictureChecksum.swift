package import RillCore
import RillTestSupport

/// Over all samples of a picture: equal pictures have equal sums.
package func checksum(_ frame: VideoFrame) -> UInt64 {
    var sum = Checksum()
    for plane in 0..<frame.format.planeCount {
        for y in 0..<frame[plane: plane].height { sum.add(frame[plane: plane].row(y)) }
    }
    return sum.value
}
