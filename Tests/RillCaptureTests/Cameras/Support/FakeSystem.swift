import CV4L2
import Glibc
import RillCapture
import RillCore

/// A system with fake cameras, in virtual time: waits pass time and take none.
final class FakeSystem: DeviceCalls {
    struct State {
        var now = MediaTime(nanoseconds: 1_000_000_000_000)
        var cameras: [String: FakeCamera] = [:]
        /// The planned changes, in the order of their times.
        var plans: [(time: MediaTime, change: @Sendable (inout State) -> Void)] = []
        /// Whether a wait for a frame ends with POLLERR, whatever else the device says.
        var failsWaits = false
        /// If set, the driver's responses are damaged: the result of a request is then partly random.
        var chance: SeededGenerator?
        var hears = true
        var hasNews = false
        /// Which camera each descriptor was opened for; those of cameras that are gone stay open, as everywhere.
        var descriptors: [Int32: (path: String, generation: Int)] = [:]
        var generations: [String: Int] = [:]
        var nextDescriptor: Int32 = 100
        /// By address: whose they are, and their offset, which says which buffer and plane.
        var mappings: [UInt: (descriptor: Int32, offset: Int)] = [:]
        var calls = 0
        var waits = 0
        var opens = 0

        mutating func plug(_ camera: FakeCamera, at path: String) {
            cameras[path] = camera
            generations[path, default: 0] += 1
            hasNews = true
        }

        mutating func unplug(_ path: String) {
            cameras[path] = nil
            generations[path, default: 0] += 1
            hasNews = true
        }

        mutating func pass(to time: MediaTime) {
            while let plan = plans.first, plan.time <= time {
                now = max(now, plan.time)
                plans.removeFirst()
                plan.change(&self)
            }
            now = max(now, time)
        }

        func isThere(_ descriptor: Int32) -> String? {
            guard let (path, generation) = descriptors[descriptor], cameras[path] != nil,
                generations[path] == generation
            else { return nil }
            return path
        }
    }

    private let state: Monitor<State>

    init(_ camera: FakeCamera? = FakeCamera(), at path: String = "/dev/video0") {
        var state = State()
        if let camera { state.plug(camera, at: path) }
        self.state = Monitor(state)
    }

    func look<Result>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

    /// Schedules an action after a delay.
    func plan(in delay: MediaDuration, _ change: @escaping @Sendable (inout State) -> Void) {
        look { state in
            state.plans.append((state.now + delay, change))
            state.plans.sort { $0.time < $1.time }
        }
    }

    /// Descriptors and mappings that are open.
    var openCount: Int { look { $0.descriptors.count + $0.mappings.count } }

    // MARK: DeviceCalls

    var now: MediaTime {
        look { state in
            state.pass(to: state.now)
            return state.now
        }
    }

    func nodes() -> [VideoNodeEntry] {
        look {
            $0.cameras.keys.sorted().map { VideoNodeEntry(path: $0, stablePath: "/dev/v4l/by-id/" + $0.dropFirst(5)) }
        }
    }

    func open(_ path: String) -> Result<Int32, SystemError> {
        look { state in
            state.opens += 1
            guard let camera = state.cameras[path] else { return .failure(SystemError(ENOENT)) }
            guard camera.openRefusal == 0 else { return .failure(SystemError(camera.openRefusal)) }
            state.nextDescriptor += 1
            state.descriptors[state.nextDescriptor] = (path, state.generations[path] ?? 0)
            return .success(state.nextDescriptor)
        }
    }

    func close(_ descriptor: Int32) {
        look { state in
            if let path = state.isThere(descriptor), state.cameras[path]?.isStreaming == true {
                state.cameras[path]?.isStreaming = false
            }
            state.descriptors[descriptor] = nil
        }
    }

    @unsafe
    func control(_ descriptor: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32 {
        look { state in
            state.calls += 1
            guard let path = state.isThere(descriptor) else { return ENODEV }
            if let refusal = state.cameras[path]?.refusals[request]?.first {
                state.cameras[path]?.refusals[request]?.removeFirst()
                if refusal != 0 { return refusal }
            }
            if request == CV4L2_DQBUF {
                let record = unsafe argument.assumingMemoryBound(to: v4l2_buffer.self)
                let result = unsafe state.dequeue(path, descriptor, record)
                unsafe state.damage(request, argument)
                return result
            }
            let now = state.now
            // The argument is what the request takes: the code under test vouches for it.
            let result = unsafe state.cameras[path]?.answer(request, argument, now: now) ?? ENODEV
            unsafe state.damage(request, argument)
            return result
        }
    }

    @unsafe
    func map(_ descriptor: Int32, byteCount: Int, offset: Int) -> Result<UnsafeMutableRawPointer, SystemError> {
        guard byteCount < 1 << 20 else { return unsafe .failure(SystemError(ENOMEM)) }
        let base = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 4096)
        unsafe base.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        let place = UInt(bitPattern: base)
        look { $0.mappings[place] = (descriptor, offset) }
        return unsafe .success(base)
    }

    @unsafe
    func unmap(_ base: UnsafeMutableRawPointer, byteCount: Int) {
        let place = UInt(bitPattern: base)
        look { $0.mappings[place] = nil }
        unsafe base.deallocate()
    }

    func waitForFrame(_ descriptor: Int32, until deadline: MediaTime) -> FrameReadiness {
        look { state in
            state.waits += 1
            state.pass(to: state.now)
            while true {
                guard !state.failsWaits else {
                    state.failsWaits = false
                    return .failed
                }
                guard let path = state.isThere(descriptor), let camera = state.cameras[path] else { return .failed }
                // The next thing that happens: a plan, a frame, or the deadline.
                let plan = state.plans.first?.time ?? .distantFuture
                let frame = camera.isStreaming ? camera.dueTime : .distantFuture
                let next = min(plan, frame, deadline)
                state.pass(to: next)
                if next == frame, frame <= deadline {
                    guard state.cameras[path]?.skipMissing() == true else { return .ready }
                    continue
                }
                if next == deadline { return .timedOut }
            }
        }
    }

    func waitForChange(until deadline: MediaTime) -> Bool {
        look { state in
            state.waits += 1
            while true {
                if state.hasNews, state.hears {
                    state.hasNews = false
                    return true
                }
                guard let plan = state.plans.first?.time, plan <= deadline else {
                    state.pass(to: deadline)
                    return false
                }
                state.pass(to: plan)
            }
        }
    }
}

extension FakeSystem.State {
    /// Sets some bytes of an answer to anything, where answers are to be damaged.
    @unsafe
    mutating func damage(_ request: UInt, _ argument: UnsafeMutableRawPointer) {
        guard var random = chance else { return }
        // The size of what a request takes stands in its number.
        let size = Int(request >> 16 & 0x3FFF)
        if random.next() % 4 == 0 {
            for _ in 0...random.next() % 4 {
                let place = Int(random.next() % UInt64(size))
                unsafe argument.storeBytes(
                    of: UInt8(truncatingIfNeeded: random.next() >> 32), toByteOffset: place, as: UInt8.self)
            }
        }
        chance = random
    }

    /// Gives the next frame: its bytes into the buffer's memory, what a driver says of it into the record.
    @unsafe
    mutating func dequeue(_ path: String, _ descriptor: Int32, _ record: UnsafeMutablePointer<v4l2_buffer>) -> Int32 {
        guard var camera = cameras[path], camera.isStreaming else { return EINVAL }
        defer { cameras[path] = camera }
        while camera.dueTime <= now, camera.skipMissing() {}
        guard camera.dueTime <= now, !camera.queued.isEmpty,
            let picture = camera.picture(camera.number, camera.byteCount)
        else { return EAGAIN }
        let index = camera.queued.removeFirst()
        let due = camera.dueTime
        camera.sequenceOffset += picture.gap
        unsafe record.pointee.index = UInt32(index)
        unsafe record.pointee.sequence = UInt32(camera.number) + camera.sequenceOffset
        unsafe record.pointee.flags =
            (picture.stampError == nil ? 0 : UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC))
            | (picture.isFlagged ? UInt32(V4L2_BUF_FLAG_ERROR) : 0)
        let stamp = (due + (picture.stampError ?? .zero)).nanoseconds
        unsafe record.pointee.timestamp = timeval(
            tv_sec: Int(stamp / 1_000_000_000), tv_usec: Int(stamp % 1_000_000_000 / 1000))
        camera.number += 1
        var rest = picture.bytes[...]
        for (plane, size) in camera.planeSizes.enumerated() {
            let part = rest.prefix(size)
            rest = rest.dropFirst(size)
            let offset = index << 8 | plane
            guard let place = mappings.first(where: { $0.value == (descriptor, offset) })?.key,
                let base = unsafe UnsafeMutablePointer<UInt8>(bitPattern: place)
            else { return EINVAL }
            unsafe part.withUnsafeBufferPointer { bytes in
                // The mapping has the plane's size after its offset, and the part is not longer than that.
                guard let source = bytes.baseAddress else { return }
                unsafe (base + camera.dataOffset).update(from: source, count: bytes.count)
            }
            if camera.isMultiPlanar {
                unsafe record.pointee.m.planes[plane].bytesused = UInt32(camera.dataOffset + part.count)
                unsafe record.pointee.m.planes[plane].data_offset = UInt32(camera.dataOffset)
            } else {
                unsafe record.pointee.bytesused = UInt32(part.count)
            }
        }
        return 0
    }
}
