import Rill

/// Captures frames from /dev/video-fake, which Programs/fake-camera.c emulates with a frame always ready.
enum CameraWork {
    static func run(count: Int) throws {
        let camera = try V4L2Camera(.path("/dev/video-fake"), CameraConstraints(resolution: .hd720))
        var (sum, taken) = (0, 0)
        while taken < count {
            guard case .frame(let frame) = try camera.next() else { continue }
            sum &+= Int(frame.y[345, 9])
            taken += 1
        }
        print("sum=\(sum)")
    }
}
